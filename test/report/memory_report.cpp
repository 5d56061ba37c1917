// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE report_memory_report
#include <boost/test/unit_test.hpp>

#include <espalier/report/memory_report.hpp>

#include "support/nets.hpp"

using namespace test;

namespace {
using Net = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 4>>;
using Model = esp::model<Net>;
using Predictor = esp::predictor<Model, esp::batch<1, 8>>;
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, optim::Adam, esp::batch<4, 8>>;

/// The cells of the line that begins with this word, as numbers.
std::vector<std::size_t> line(std::string const& text, std::string const& word) {
  std::vector<std::size_t> r;
  std::size_t at = text.find('\n' + word + ' ');
  if (at == std::string::npos) return r;
  at += 1 + word.size();
  for (std::size_t const end = text.find('\n', at); at < end;) {
    std::size_t const digit = text.find_first_not_of(' ', at);
    std::size_t used = 0;
    r.push_back(std::stoul(text.substr(digit), &used));
    at = digit + used;
  }
  return r;
}
}  // namespace

BOOST_AUTO_TEST_CASE(each_object_and_the_total) {
  std::string const text = esp::memory_report<Model, Predictor, Trainer>();
  constexpr auto model = esp::memory_of<Model>, predictor = esp::memory_of<Predictor>,
                 trainer = esp::memory_of<Trainer>, total = esp::memory_of<Model, Predictor, Trainer>;
  using row = std::vector<std::size_t>;
  BOOST_TEST((line(text, "ram") == row{model.ram_bytes, predictor.ram_bytes, trainer.ram_bytes, total.ram_bytes}));
  BOOST_TEST((line(text, "parameters") == row{model.parameter_bytes, 0, 0, total.parameter_bytes}));
  BOOST_TEST((line(text, "buffers") == row{model.buffer_bytes, 0, 0, 128}));
  BOOST_TEST((line(text, "gradients") == row{0, 0, trainer.gradient_bytes, trainer.gradient_bytes}));
  BOOST_TEST((line(text, "optimizer") == row{0, 0, trainer.optimizer_bytes, 2 * trainer.gradient_bytes}));
  BOOST_TEST((line(text, "flash") == row{0, 0, 0, 0}));
  BOOST_TEST(text.rfind("bytes ", 0) == 0u);
  BOOST_TEST(text.find(" total\n") != std::string::npos);
  BOOST_TEST(text.find("size of the code is known after linking") != std::string::npos);
}
BOOST_AUTO_TEST_CASE(one_object_has_no_total_and_no_empty_lines) {
  std::string const text = esp::memory_report<Model>();
  BOOST_TEST(text.find("total") == std::string::npos);
  BOOST_TEST(text.find("optimizer") == std::string::npos);
  BOOST_TEST((line(text, "ram") == std::vector<std::size_t>{esp::memory_of<Model>.ram_bytes}));
}

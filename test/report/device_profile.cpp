// SPDX-License-Identifier: BSL-1.0
// A profile on a graphics processor has every group of every run, names its layer, and changes no number that is
// computed.
#define BOOST_TEST_MODULE report_device_profile
#include <boost/test/unit_test.hpp>

#include "support/test_device.hpp"

#if defined(__CUDA_RUNTIME_API_H__)
#include <espalier/nvtx.hpp>
#endif
#include <espalier/report/device_profile.hpp>

#include <string>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {
/// What a tool of the user would see.
std::vector<std::string> seen;
[[maybe_unused]] int open_ranges = 0;
}  // namespace

#if !defined(__CUDA_RUNTIME_API_H__)
template <>
struct espalier::range_marks<test::backend> {
  static void push(char const* name) {
    seen.push_back(name);
    ++open_ranges;
  }
  static void pop() { --open_ranges; }
};
#endif

namespace {

using Net = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU, nn::Linear<32, 4>>;
using batch = esp::batch<8, 16>;
using test::device;

struct data {
  esp::tensor<float, batch> x;
  esp::tensor<std::int32_t, esp::shape<8>> y;
  data() {
    for (int i = 0; i < 128; ++i) x.data()[i] = static_cast<float>(i % 11) * 0.25f - 1;
    for (int i = 0; i < 8; ++i) y[i] = i % 4;
  }
};

/// Three steps and a prediction.
template <class Model>
auto train(Model& model) {
  data const d;
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  for (int i = 0; i < 3; ++i) trainer.step(d.x, d.y);
  esp::predictor predict{model, batch{}};
  esp::tensor<float, esp::shape<8, 4>> scores;
  predict(d.x, scores);
  return scores;
}
bool any_begins(char const* text) {
  for (std::string const& name : seen)
    if (name.rfind(text, 0) == 0) return true;
  return false;
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_and_numbers) {
  esp::model<Net, device> plain{esp::seed{1}};
  esp::model<Net, esp::profiled<device>> model{esp::seed{1}};
  BOOST_TEST(esp::profile_of(model).empty());
  auto const expected = train(plain);
  BOOST_TEST(seen.empty());
  BOOST_TEST((train(model) == expected));
  auto const profiles = esp::profile_of(model);
  BOOST_TEST_REQUIRE(profiles.size() == 3u);
  BOOST_TEST(profiles[0].program.title == "training of Sequential on (8, 16)");
  BOOST_TEST(profiles[1].program.title == "update by Adam");
  BOOST_TEST(profiles[2].program.title == "evaluation of Sequential on (8, 16)");
  [[maybe_unused]] std::size_t groups = 0;
  for (esp::program_profile const& p : profiles) {
    double shares = 0;
    for (int x = 0; x < static_cast<int>(p.seconds.size()); ++x) {
      BOOST_TEST(p.seconds[static_cast<std::size_t>(x)] >= 0);
      shares += p.share(x);
    }
    BOOST_TEST(shares == 1, boost::test_tools::tolerance(1e-9));
    groups += static_cast<std::size_t>(p.runs) * (p.seconds.size() - 1);
  }
  BOOST_TEST(profiles[0].runs == 3);
#if !defined(__CUDA_RUNTIME_API_H__)
  BOOST_TEST(seen.size() == groups);
  BOOST_TEST(open_ranges == 0);
  BOOST_TEST(any_begins("0  Linear<16, 32>: "));
  BOOST_TEST(any_begins("1  BatchNorm1d<32>: "));
  BOOST_TEST(any_begins("3  Linear<32, 4>: product: "));
  BOOST_TEST(any_begins("update by Adam: "));
#endif
  esp::clear_profile(model);
  BOOST_TEST(esp::profile_of(model).empty());
}

BOOST_AUTO_TEST_CASE(tensors_of_the_device_are_reached) {
  esp::model<Net, esp::profiled<device>> model{esp::seed{1}};
  data const d;
  esp::tensor<float, batch, device> const x{d.x};
  esp::model<Net, device> plain{esp::seed{1}};
  BOOST_TEST((model(x).to_host() == plain(x).to_host()));
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD{}, batch{}};
  trainer.step(x, d.y);
  copy(model, plain);
}

#if !defined(__CUDA_RUNTIME_API_H__)
BOOST_AUTO_TEST_CASE(an_error_names_the_layer) {
  using Program = esp::detail::evaluation_program<Net, batch>;
  using Backend = test::backend;
  Backend backend;
  esp::on_cuda::engine<device> const engine{backend};
  float host[4]{};
  void* base[esp::plan::base::count]{};
  for (void*& at : base) at = host;  // memory of the host: every call that reads it fails
  auto const names = esp::detail::names_of_groups<Program, float>();
  try {
    esp::detail::run_named_group<esp::on_cuda::engine<device>, Program, float, 1>(engine, base, names[1]);
    BOOST_ERROR("no error");
  } catch (esp::cuda_error const& error) {
    std::string const text = error.what();
    BOOST_TEST(text.find("memory of the host?); in group 1, 1  BatchNorm1d<32>: product: ") != std::string::npos, text);
  }
}
#endif

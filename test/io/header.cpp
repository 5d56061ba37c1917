// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_header
#include <boost/test/unit_test.hpp>

#include <espalier/io/header.hpp>
#include <espalier/model/embedded.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>

#include <bit>
#include <cstdlib>
#include <limits>

#include "support/odd_weights.hpp"
#include "support/temporary.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;

namespace {

using Net = nn::Sequential<nn::Frozen<nn::Linear<3, 4>>, nn::BatchNorm1d<4>, nn::ReLU, nn::Linear<4, 2>>;
char const* const committed = ESPALIER_DATA "/../../../test/support/odd_weights.hpp";

/// Numbers whose bits are easily lost.
template <class T>
void fill_oddly(esp::model<Net, esp::cpu, T>& model) {
  using limits = std::numeric_limits<T>;
  auto const nan = [](std::uint64_t payload) {
    if constexpr (sizeof(T) == 4) return std::bit_cast<float>(0xffc00000u + static_cast<std::uint32_t>(payload));
    else return std::bit_cast<double>(0x7ff8000000000000u + payload);
  };
  T const odd[] = {T(0),
                   -T(0),
                   T(0.1),
                   -T(1) / T(3),
                   limits::max(),
                   limits::lowest(),
                   limits::min(),
                   limits::denorm_min(),
                   -limits::denorm_min(),
                   limits::min() - limits::denorm_min(),
                   limits::infinity(),
                   -limits::infinity(),
                   nan(0),
                   nan(0x1234),
                   limits::epsilon(),
                   T(1),
                   T(-9),
                   T(10),
                   T(16777216),
                   T(0.5),
                   T(1) + limits::epsilon()};
  std::size_t number = 0;
  auto const fill = [&](char const*, esp::extents const&, auto elements) {
    for (T& x : elements) x = odd[number++ % std::size(odd)];
  };
  model.for_each_parameter(fill);
  model.for_each_buffer(fill);
}
template <class T>
std::vector<T> elements_of(esp::model<Net, esp::cpu, T>& model) {
  std::vector<T> all;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    all.insert(all.end(), elements.begin(), elements.end());
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  return all;
}
template <class T>
bool same_bits(std::vector<T> const& a, std::vector<T> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
template <class T>
std::string literal(T x) {
  std::string text;
  io::detail::add_literal(text, x);
  return text;
}
std::string error_of(char const* path, char const* name) {
  esp::model<Net> model;
  try {
    io::write_header(path, model, name);
  } catch (io::name_error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_header_keeps_all_bits) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{1}};
  fill_oddly(model);
  io::write_header(folder.path("weights.hpp"), model, "odd_weights");
  std::string const text = temporary::read(folder.path("weights.hpp"));
  BOOST_TEST(folder.entries() == 1u);
  // ESPALIER_WRITE_HEADER=file writes what belongs into test/support/odd_weights.hpp.
  if (char const* const to = std::getenv("ESPALIER_WRITE_HEADER")) temporary::write(to, text);
  BOOST_TEST(text == temporary::read(committed));

  esp::model<Net> copied{esp::embedded<odd_weights>{}};
  BOOST_TEST(same_bits(elements_of(model), elements_of(copied)));
  BOOST_TEST(copied.initial_seed().value == 0u);
  static esp::bytes<esp::model<Net>::bytes> room;
  esp::model<Net> in_storage{esp::embedded<odd_weights>{}, room};
  BOOST_TEST(same_bits(elements_of(model), elements_of(in_storage)));

  // Read where it is: parameters and buffers with their gaps, as the model has them.
  static constexpr esp::read_only_model<Net, odd_weights> read_only;
  BOOST_TEST(static_cast<void const*>(read_only.parameters().data()) == static_cast<void const*>(odd_weights::numbers));
  BOOST_TEST(std::memcmp(read_only.parameters().data(), model.parameters().data(),
                         static_cast<std::size_t>(model.parameters().size()) * sizeof(float)) == 0);
  BOOST_TEST(std::memcmp(read_only.buffers().data(), model.buffers().data(),
                         static_cast<std::size_t>(model.buffers().size()) * sizeof(float)) == 0);
  BOOST_TEST(std::size(odd_weights::numbers) ==
             static_cast<std::size_t>(read_only.parameters().size() + read_only.buffers().size()));
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(odd_weights::numbers) % esp::tensor_alignment == 0u);
  BOOST_TEST(reinterpret_cast<std::uintptr_t>(read_only.buffers().data()) % esp::tensor_alignment == 0u);
}

BOOST_AUTO_TEST_CASE(models_of_a_device) {
  temporary::folder const folder;
  esp::model<Net> loaded{esp::embedded<odd_weights>{}};
  esp::model<Net, esp::simulated_cuda> model{esp::embedded<odd_weights>{}};
  std::vector<float> all;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    all.insert(all.end(), elements.begin(), elements.end());
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  BOOST_TEST(same_bits(all, elements_of(loaded)));
  io::write_header(folder.path("weights.hpp"), model, "odd_weights");
  BOOST_TEST(temporary::read(folder.path("weights.hpp")) == temporary::read(committed));
}

BOOST_AUTO_TEST_CASE(literals) {
  BOOST_TEST(literal(0.0f) == "0.0f");
  BOOST_TEST(literal(-0.0f) == "-0.0f");
  BOOST_TEST(literal(1.0f) == "1.0f");
  BOOST_TEST(literal(-9.0) == "-9.0");
  BOOST_TEST(literal(0.75f) == "0x3p-2f");
  BOOST_TEST(literal(10.0) == "0x5p1");
  BOOST_TEST(literal(0.1f) == "0xcccccdp-27f");
  BOOST_TEST(literal(std::numeric_limits<float>::denorm_min()) == "0x1p-149f");
  BOOST_TEST(literal(std::numeric_limits<double>::denorm_min()) == "0x1p-1074");
  BOOST_TEST(literal(std::numeric_limits<float>::max()) == "0xffffffp104f");
  BOOST_TEST(literal(std::numeric_limits<float>::infinity()) == "espalier::float_of_bits(0x7f800000)");
  BOOST_TEST(literal(-std::numeric_limits<double>::infinity()) == "espalier::double_of_bits(0xfff0000000000000)");
  // What strtod reads in the locale of C is what was written.
  std::uint64_t state = 1;
  for (int i = 0; i < 20000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    float const x = std::bit_cast<float>(static_cast<std::uint32_t>(state >> 32));
    double const y = std::bit_cast<double>(state ^ (state >> 29));
    if (x - x == 0)
      BOOST_REQUIRE_EQUAL(std::bit_cast<std::uint32_t>(std::strtof(literal(x).c_str(), nullptr)),
                          std::bit_cast<std::uint32_t>(x));
    if (y - y == 0)
      BOOST_REQUIRE_EQUAL(std::bit_cast<std::uint64_t>(std::strtod(literal(y).c_str(), nullptr)),
                          std::bit_cast<std::uint64_t>(y));
  }
}

BOOST_AUTO_TEST_CASE(doubles) {
  esp::model<Net, esp::cpu, double> model;
  fill_oddly(model);
  std::string const text =
      io::detail::header_text<Net, double>("numbers", model.parameters().data(), model.buffers().data());
  BOOST_TEST(text.find("static constexpr double numbers[] = {") != std::string::npos);
  BOOST_TEST(text.find(" 0xccccccccccccdp-55,") != std::string::npos);
  BOOST_TEST(text.find("f,") == std::string::npos);
  std::size_t longest = 0;
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    longest = std::max(longest, end - at);
  }
  BOOST_TEST(longest <= 120u);
}

BOOST_AUTO_TEST_CASE(names_of_structs) {
  temporary::folder const folder;
  BOOST_TEST(error_of(folder.path("a.hpp"), "digits_weights2").empty());
  BOOST_TEST(folder.entries() == 1u);
  BOOST_TEST(error_of("b.hpp", "2digits") == "b.hpp: expected a name for a struct of C++, got \"2digits\"");
  for (char const* name : {"", "digits weights", "digits-weights", "a::b", "_digits", "di__gits", "template",
                           "co_yield", "d\xc3\xbc", "x;", "espalier", "tensors", "numbers", "value_type"})
    BOOST_TEST(!error_of(folder.path("b.hpp"), name).empty(), name);
  BOOST_TEST(folder.entries() == 1u);
  // What was at the path stays when the new header cannot be written.
  esp::model<Net> model;
  BOOST_CHECK_THROW(io::write_header(folder.path("none/a.hpp"), model, "a"), io::write_error);
}

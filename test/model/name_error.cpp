// SPDX-License-Identifier: BSL-1.0
// Names that a program computes: what the net does not have throws with the most similar name, and a search that may
// fail says so.
#define BOOST_TEST_MODULE model_name_error
#include <boost/test/unit_test.hpp>
#include <string>

#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/simulated_cuda.hpp>

#include "support/nets.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using test::floats;

namespace {
using Net = nn::Sequential<nn::Frozen<nn::Linear<3, 4>>, nn::BatchNorm1d<4>, nn::Linear<4, 2>>;

/// What a call throws, or "" where it throws nothing.
template <class F>
std::string thrown(F&& call) {
  try {
    call();
  } catch (esp::name_error const& error) {
    return error.what();
  }
  return "";
}
bool has(std::string const& text, char const* words) { return text.find(words) != std::string::npos; }
}  // namespace

BOOST_AUTO_TEST_CASE(names_that_exist) {
  esp::model<Net> model{esp::seed{1}};
  esp::model<Net> const& same = model;
  BOOST_TEST(model.parameter("2.weight").span().size() == 8);
  BOOST_TEST(model.buffer("1.running_var").span()[0] == 1);
  BOOST_TEST(same.parameter("2.weight").span().data() == model.parameter("2.weight").span().data());
  BOOST_TEST(same.buffer("1.running_mean").span().data() == model.find_buffer("1.running_mean").span().data());
  BOOST_TEST(same.parameter<"2.bias">().span().data() == model.parameter<"2.bias">().span().data());
  BOOST_TEST(same.buffer<"1.running_mean">().span().data() == model.buffer<"1.running_mean">().span().data());
  BOOST_TEST(same.parameter(std::string{"2.weight"}).span().data() == model.parameter("2.weight").span().data());
  BOOST_TEST(static_cast<bool>(same.find_parameter("0.module.bias")));
}

// A const model can be read by name, and not written.
static_assert(std::is_same_v<decltype(std::declval<esp::model<Net> const&>().parameter("").span()[0]), float const&>);
static_assert(std::is_same_v<decltype(std::declval<esp::model<Net> const&>().buffer<"1.running_mean">().span()[0]),
                             float const&>);
static_assert(std::is_same_v<decltype(std::declval<esp::model<Net>&>().parameter("").span()[0]), float&>);

BOOST_AUTO_TEST_CASE(a_const_model_is_read_through_a_loop_and_by_copies) {
  esp::model<Net> const model{esp::seed{1}};
  std::int64_t elements = 0;
  model.for_each_parameter([&](char const*, esp::extents const& shape, esp::span<float const> values) {
    BOOST_TEST(shape.size() == values.size());
    elements += values.size();
  });
  BOOST_TEST(elements == esp::parameter_count<Net>);
  int buffers = 0;
  model.for_each_buffer([&](char const*, esp::extents const&, esp::span<float const>) { ++buffers; });
  BOOST_TEST(buffers >= 2);
  float copy[2];
  model.parameter("2.bias").to_host(esp::span<float>{copy, 2});
  BOOST_TEST(copy[1] == model.parameter("2.bias").span()[1]);
}

BOOST_AUTO_TEST_CASE(a_name_that_the_net_does_not_have) {
  esp::model<Net> model{esp::seed{1}};
  esp::model<Net> const& same = model;
  std::string const wrong = thrown([&] { model.parameter("2.wieght"); });
  BOOST_TEST(
      has(wrong,
          "parameter(\"2.wieght\"): the net has no parameter of this name; the nearest is \"2.weight\"; find_parameter(name)"),
      wrong);
  BOOST_TEST(thrown([&] { same.parameter("2.wieght"); }) == wrong);
  BOOST_TEST(has(thrown([&] { model.buffer("1.running_men"); }),
                 "the net has no buffer of this name; the nearest is \"1.running_mean\"; find_buffer(name)"));
  BOOST_TEST(thrown([&] { same.buffer("1.running_men"); }) != "");
  // Each of its own kind; nothing is similar to something else, and to no name at all.
  BOOST_TEST(thrown([&] { model.parameter("1.running_mean"); }) != "");
  std::string const far = thrown([&] { model.parameter("something else entirely"); });
  BOOST_TEST(has(far, "no parameter of this name; find_parameter"), far);
  BOOST_TEST(thrown([&] { model.parameter(""); }) != "");
  // The sentence has room for no more than some of a very long name.
  std::string const lengthy = thrown([&] { model.parameter(std::string(5000, 'x').c_str()); });
  BOOST_TEST(lengthy.size() < 1024u);
  BOOST_TEST(has(lengthy, "find_parameter(name) accepts unknown names"));
}
BOOST_AUTO_TEST_CASE(a_search_that_may_fail) {
  esp::model<Net> model{esp::seed{1}};
  BOOST_TEST(!model.find_parameter("2.wieght"));
  BOOST_TEST(model.find_parameter("2.wieght").span().size() == 0);
  BOOST_TEST(!model.find_buffer("2.weight"));
}

BOOST_AUTO_TEST_CASE(gradients_by_name) {
  esp::model<Net> model{esp::seed{1}};
  auto const gradients = esp::value_and_grad(model, nn::MeanSquaredError{})(floats<5, 3>(1), floats<5, 2>(2)).gradients;
  BOOST_TEST(gradients.parameter("2.weight").span().size() == 8);
  BOOST_TEST(has(thrown([&] { gradients.parameter("2.wieght"); }), "the nearest is \"2.weight\""));
  std::string const frozen = thrown([&] { gradients.parameter("0.module.weight"); });
  BOOST_TEST(has(frozen, "parameter(\"0.module.weight\"): this parameter is frozen and has no gradient"), frozen);
  BOOST_TEST(!gradients.find_parameter("0.module.weight"));
  BOOST_TEST(!gradients.find_parameter("nothing"));
}

BOOST_AUTO_TEST_CASE(a_constant_model_at_run_time) {
  esp::constant_model<Net> net{esp::seed{1}};
  BOOST_TEST(has(thrown([&] { net.parameters["2.wieght"]; }), "the nearest is \"2.weight\""));
  BOOST_TEST(has(thrown([&] { net.with("2.bias", {1, 2, 3}); }), "another number of elements"));
}

BOOST_AUTO_TEST_CASE(on_a_device_with_memory_of_its_own) {
  esp::model<Net, esp::simulated_cuda> model{esp::seed{1}};
  BOOST_TEST(has(thrown([&] { model.parameter("2.wieght"); }), "the nearest is \"2.weight\""));
  esp::model<Net, esp::simulated_cuda> const& same = model;
  float bias[2];
  same.parameter("2.bias").to_host(esp::span<float>{bias, 2});
  esp::model<Net> const on_the_host{esp::seed{1}};
  BOOST_TEST(bias[0] == on_the_host.parameter("2.bias").span()[0]);
}

// SPDX-License-Identifier: BSL-1.0
// Tensors by names that the compiler looks up, and which name is the nearest to a wrong one.
#define BOOST_TEST_MODULE model_named
#include <boost/test/unit_test.hpp>

#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::detail::buffer_named;
using esp::detail::parameter_named;
using esp::detail::tensor_named;

struct Layers {
  nn::Linear<4, 4> fc1, fc2;
  ESPALIER_MODULE(Layers, fc1, fc2)
  constexpr auto forward(auto x) const { return fc2(relu(fc1(x))); }
};
using Net = nn::Sequential<nn::Linear<3, 4>, nn::BatchNorm1d<4>, Layers>;

// What a wrong name is told.
template <class Found>
constexpr bool has_nearest = false;
template <template <auto, class...> class Relation, auto Name, auto Nearest>
constexpr bool has_nearest<Relation<Name, esp::nearest<Nearest>>> = true;
template <class Found>
constexpr char const* nearest_of = "";
template <template <auto, class...> class Relation, auto Name, auto Nearest>
constexpr char const* nearest_of<Relation<Name, esp::nearest<Nearest>>> = Nearest.text;
constexpr bool same(char const* a, char const* b) { return esp::detail::same_text(a, b); }

static_assert(parameter_named<Net, "2.fc1.weight">::agree && buffer_named<Net, "1.running_var">::agree);
static_assert(tensor_named<Net, "2.fc1.weight">::agree && tensor_named<Net, "1.running_var">::agree);
// each of its own kind
static_assert(!parameter_named<Net, "1.running_var">::agree && !buffer_named<Net, "1.weight">::agree);
// two letters changed
static_assert(same(nearest_of<parameter_named<Net, "2.fc1.wieght">>, "2.fc1.weight"));
static_assert(same(nearest_of<parameter_named<Net, "2.fc2.weights">>, "2.fc2.weight"));  // one too many
static_assert(same(nearest_of<parameter_named<Net, "0.bis">>, "0.bias"));                // one missing
// a point forgotten
static_assert(same(nearest_of<parameter_named<Net, "2fc1.weight">>, "2.fc1.weight"));
static_assert(same(nearest_of<buffer_named<Net, "1.running_man">>, "1.running_mean"));
static_assert(same(nearest_of<tensor_named<Net, "1.running_men">>, "1.running_mean") &&
              same(nearest_of<tensor_named<Net, "1.wieght">>, "1.weight"));
static_assert(!has_nearest<parameter_named<Net, "something else">> &&
              !has_nearest<buffer_named<nn::Linear<2, 2>, "weight">>);
static_assert(!has_nearest<parameter_named<Net, "">>);

constexpr unsigned long distance(char const (&a)[6], char const (&b)[7]) {
  return esp::detail::edit_distance(a, 5, b, 6);
}
static_assert(distance("abcde", "abcdef") == 1 && distance("abcde", "bcdefg") == 3 && distance("abcde", "ghijkl") == 6);

BOOST_AUTO_TEST_CASE(a_model) {
  esp::model<Net> model{esp::seed{1}};
  auto const weight = model.parameter<"2.fc1.weight">();
  BOOST_TEST(static_cast<bool>(weight));
  BOOST_TEST(weight.name() == "2.fc1.weight");
  BOOST_TEST(weight.span().data() == model.parameter("2.fc1.weight").span().data());
  BOOST_TEST(weight.span().size() == 16);
  BOOST_TEST(model.buffer<"1.running_var">().span()[3] == 1);
  BOOST_TEST(!model.find_parameter("2.fc1.wieght"));
}

BOOST_AUTO_TEST_CASE(a_constant_model) {
  constexpr auto net = esp::constant_model<Net>{}
                           .with<"0.bias">({1, 2, 3, 4})
                           .with<"1.running_var">({5, 6, 7, 8})
                           .with("2.fc2.bias", {9, 8, 7, 6});
  static_assert(net.parameters.get<"0.bias">()[2] == 3 && net.buffers.get<"1.running_var">()[0] == 5 &&
                net.parameters["2.fc2.bias"][3] == 6);
  static_assert(net.parameters.get<"0.bias">().size() == 4);
  auto changed = net;
  changed.parameters.get<"0.bias">()[2] = 30;
  changed.buffers["1.running_var"][1] = 60;
  BOOST_TEST(changed.parameters.get<"0.bias">()[2] == 30);
  BOOST_TEST(changed.buffers.get<"1.running_var">()[1] == 60);
  BOOST_TEST((changed.parameters.get<"2.fc1.weight">()[5] == net.parameters.get<"2.fc1.weight">()[5]));
}

// SPDX-License-Identifier: BSL-1.0
// Sequential, Residual, and what networks made of them count and are named.
#define BOOST_TEST_MODULE nn_sequential
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Dim, int Hidden, class Wide, class Narrow>
using block_of = nn::Sequential<nn::Residual<nn::Sequential<nn::Linear<Dim, Hidden>, Narrow, nn::ReLU, nn::Dropout<0.1>,
                                                            nn::Linear<Hidden, Dim>, Wide>>,
                                nn::ReLU>;
template <int Dim, int Hidden>
using BatchBlock = block_of<Dim, Hidden, nn::BatchNorm1d<Dim>, nn::BatchNorm1d<Hidden>>;
template <int Dim, int Hidden>
using LayerBlock = block_of<Dim, Hidden, nn::LayerNorm1d<Dim>, nn::LayerNorm1d<Hidden>>;
template <int Dim, int Hidden, int Classes, class... Block>
using classifier =
    nn::Sequential<nn::Flatten, nn::Linear<Dim, Hidden>, nn::ReLU, Block..., nn::Linear<Hidden, Classes>>;
}  // namespace

// The counts of needle's public tests.
static_assert(esp::parameter_count<BatchBlock<15, 2>> == 111 && esp::parameter_count<LayerBlock<784, 100>> == 159452);
static_assert(esp::parameter_count<classifier<150, 100, 10, LayerBlock<100, 50>, LayerBlock<100, 50>,
                                              LayerBlock<100, 50>, LayerBlock<100, 50>, LayerBlock<100, 50>>> == 68360);
static_assert(esp::parameter_count<classifier<10, 100, 100, LayerBlock<100, 50>>> == 21650);
static_assert(esp::parameter_count<classifier<10, 100, 100, BatchBlock<100, 50>, BatchBlock<100, 50>,
                                              BatchBlock<100, 50>, BatchBlock<100, 50>, BatchBlock<100, 50>>> == 63450);
// Of the examples.
static_assert(
    esp::parameter_count<classifier<64, 64, 10, BatchBlock<64, 32>, BatchBlock<64, 32>, BatchBlock<64, 32>>> == 17962);
static_assert(esp::parameter_count<nn::Sequential<>> == 0 &&
              esp::output_shape<nn::Sequential<>, shape<2, 3>> == shape<2, 3>{});
static_assert(esp::output_shape<classifier<64, 64, 10, BatchBlock<64, 32>>, shape<32, 8, 8>> == shape<32, 10>{});

BOOST_AUTO_TEST_CASE(layers_are_applied_in_turn) {
  esp::model<nn::Sequential<nn::Linear<2, 3>, nn::ReLU, nn::Linear<3, 1, nn::no_bias>>, esp::cpu, double> model;
  BOOST_TEST(parameter_list(model) == "0.weight(2,3) 0.bias(1,3) 2.weight(3,1)");
  assign(model.parameter("0.weight"), {1, -1, 2, 0, 1, -3});
  assign(model.parameter("0.bias"), {0, 1, 1});
  assign(model.parameter("2.weight"), {1, 10, 100});
  // (2, 3) -> (2, 2, -4) -> (2, 2, 0) -> 22;   (-1, 0) -> (-1, 2, -1) -> (0, 2, 0) -> 20
  BOOST_TEST(model(tensor<double, shape<2, 2>>{{2, 3}, {-1, 0}}) == (tensor<double, shape<2, 1>>{{22}, {20}}));
}
BOOST_AUTO_TEST_CASE(an_empty_sequence_changes_nothing) {
  auto const x = floats<2, 3>(1);
  BOOST_TEST(esp::model<nn::Sequential<>>{}(x) == x);
}
BOOST_AUTO_TEST_CASE(residual_adds_its_input) {
  esp::model<nn::Residual<nn::Sequential<nn::Linear<2, 2>, nn::ReLU>>, esp::cpu, double> model;
  BOOST_TEST(parameter_list(model) == "fn.0.weight(2,2) fn.0.bias(1,2)");
  assign(model.parameter("fn.0.weight"), {1, 2, 3, 4});
  assign(model.parameter("fn.0.bias"), {0, -100});
  BOOST_TEST(model(tensor<double, shape<1, 2>>{{1, 2}}) == (tensor<double, shape<1, 2>>{{8, 2}}));
}
BOOST_AUTO_TEST_CASE(residual_of_identity_doubles_and_so_does_its_gradient) {
  using net = nn::Sequential<nn::Linear<2, 2>, nn::Residual<nn::Identity>, nn::Residual<nn::Identity>>;
  esp::model<net, esp::cpu, double> model;
  tensor<double, shape<1, 2>> const x{{1, 1}}, k{{1, 0}};
  auto const [loss, gradients] = esp::value_and_grad(model, Weighted{})(x, k);
  BOOST_TEST(copy(gradients.parameter("0.bias").span()) == (std::vector<double>{4, 0}),
             boost::test_tools::per_element());
}
BOOST_AUTO_TEST_CASE(names_of_a_residual_network) {
  esp::model<classifier<8, 6, 3, BatchBlock<6, 2>>> model;
  BOOST_TEST(parameter_list(model) ==
             "1.weight(8,6) 1.bias(1,6) 3.0.fn.0.weight(6,2) 3.0.fn.0.bias(1,2) 3.0.fn.1.weight(2) 3.0.fn.1.bias(2) "
             "3.0.fn.4.weight(2,6) 3.0.fn.4.bias(1,6) 3.0.fn.5.weight(6) 3.0.fn.5.bias(6) 4.weight(6,3) 4.bias(1,3)");
  BOOST_TEST(buffer_list(model) ==
             "3.0.fn.1.running_mean(2) 3.0.fn.1.running_var(2) 3.0.fn.5.running_mean(6) 3.0.fn.5.running_var(6)");
  std::int64_t counted = 0;
  model.for_each_parameter([&](char const*, esp::extents const& shape, auto span) {
    counted += span.size();
    BOOST_TEST(span.size() == shape.size());
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(span.data()) % 16 == 0u);
  });
  BOOST_TEST(counted == model.parameter_count);
  auto const bias = model.parameter("3.0.fn.0.bias");
  BOOST_TEST(std::string(bias.name()) == "3.0.fn.0.bias");
  BOOST_TEST(text(bias.shape()) == "(1,2)");
  BOOST_TEST((bias.span().data() >= model.parameters().begin() && bias.span().data() < model.parameters().end()));
}
BOOST_AUTO_TEST_CASE(ten_layers_and_more_have_names_of_two_digits) {
  using id = nn::Identity;
  esp::model<nn::Sequential<id, id, id, id, id, id, id, id, id, id, id, id, nn::Linear<2, 2>>> model;
  BOOST_TEST(parameter_list(model) == "12.weight(2,2) 12.bias(1,2)");
}
BOOST_AUTO_TEST_CASE(the_type_follows_from_the_layers) {
  auto const net = nn::Sequential{nn::Linear<3, 2>{}, nn::ReLU{}};
  using type = nn::Sequential<nn::Linear<3, 2>, nn::ReLU>;
  static_assert(std::is_same_v<decltype(net), type const>);
  static_assert(std::is_same_v<decltype(nn::Sequential{type{}}), type>);
  static_assert(std::is_same_v<decltype(nn::Sequential{type{}, nn::ReLU{}}), nn::Sequential<type, nn::ReLU>>);
  static_assert(!std::is_convertible_v<nn::ReLU, nn::Sequential<nn::ReLU>>);
  esp::model<type> model;
  BOOST_TEST(parameter_list(model) == "0.weight(3,2) 0.bias(1,2)");
}

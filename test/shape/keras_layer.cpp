// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_keras_layer
#include <boost/test/unit_test.hpp>

#include <cstring>

#include <espalier/nn/nn.hpp>
#include <espalier/nn/norm.hpp>

using namespace espalier;

namespace {

constexpr bool same(char const* a, char const* b) { return espalier::detail::same_text(a, b); }
template <std::size_t N>
constexpr bool copies(keras_member const& m, extents const& shape, double const* from, double const (&expected)[N]) {
  double to[N]{};
  copy_from_keras(m, shape, from, to);
  for (std::size_t i = 0; i < N; ++i)
    if (to[i] != expected[i]) return false;
  return true;
}

}  // namespace

BOOST_AUTO_TEST_CASE(tensors_and_members) {
  constexpr keras_layer dense = nn::Linear<2, 3>::in_keras();
  static_assert(same(dense.type, "dense") && dense.features == 3 && dense.tensors == 2 && dense.member_count == 2);
  static_assert(same(dense.members[1].name, "bias") && dense.members[1].tensor == 1);
  static_assert(dense.members[0].tensor_shape({2, {2, 3}}) == extents{2, {2, 3}});
  static_assert(dense.members[1].tensor_shape({2, {1, 3}}) == extents{1, {3}});
  static_assert(nn::Linear<2, 3, nn::no_bias>::in_keras().tensors == 1);
  static_assert(same(nn::Tanh::in_keras().type, "tanh") && nn::Tanh::in_keras().tensors == 0);
  static_assert(same(nn::Dropout<0.5>::in_keras().type, ""));
}

BOOST_AUTO_TEST_CASE(recurrent_layers) {
  constexpr keras_layer lstm = nn::Outputs<nn::LSTM<1, 2>>::in_keras();
  static_assert(lstm.tensors == 3 && lstm.member_count == 4 && same(lstm.members[0].name, "weight_ih_l0"));
  static_assert(lstm.members[3].tensor == keras_member::zeros && same(lstm.members[3].name, "bias_hh_l0"));
  static_assert(nn::LSTM<1, 2, nn::lstm{.bias = false}>::in_keras().tensors == 2);
  constexpr keras_layer gru = nn::GRUCell<1, 2>::in_keras();
  static_assert(gru.tensors == 3 && gru.members[2].tensor == 2 && gru.members[3].tensor == 2);
  static_assert(gru.members[3].tensor_shape({1, {6}}) == extents{2, {2, 6}});
  constexpr keras_layer before = nn::GRUCell<1, 2, nn::gru_cell{.reset_after = false}>::in_keras();
  static_assert(before.tensors == 3 && before.members[2].tensor_shape({1, {6}}) == extents{1, {6}});
  // Keras has one layer for each of several, and another form for two directions; a file has no RNN.
  static_assert(!InKeras<nn::LSTM<1, 2, nn::lstm{.layers = 2}>> &&
                !InKeras<nn::GRU<1, 2, nn::gru{.bidirectional = true}>>);
  static_assert(!InKeras<nn::RNN<1, 2>> && !InKeras<nn::Outputs<nn::RNN<1, 2>>>);
}

BOOST_AUTO_TEST_CASE(numbers_of_layers) {
  constexpr keras_layer conv =
      nn::Conv1d<4, 6, 3, nn::conv{.padding = {0, 4, 0, 0}, .dilation = 2, .groups = 2, .layout = nhwc}>::in_keras();
  static_assert(conv.features == 6 && conv.tensors == 2 && conv.number_count == 4);
  static_assert(same(conv.numbers[0].name, "dilation") && conv.numbers[0].value == 2 && conv.numbers[0].otherwise == 1);
  static_assert(conv.numbers[2].value == 2 && conv.numbers[3].value == 0);
  static_assert(nn::Conv1d<4, 6, 3>::in_keras().numbers[3].value == 1);  // pads behind
  constexpr keras_layer norm = nn::BatchNorm<4, -1, nn::norm{.eps = 0.5, .affine = false}>::in_keras();
  static_assert(norm.tensors == 2 && same(norm.members[0].name, "running_mean") && norm.numbers[0].value == 0.5);
  static_assert(!InKeras<nn::BatchNorm1d<4, nn::norm{.untracked = true}>> && !InKeras<nn::ELU<0.5>>);
}

BOOST_AUTO_TEST_CASE(elements_of_members) {
  constexpr double from[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  constexpr keras_layer gru = nn::GRUCell<2, 2>::in_keras();
  // (2, 6): z, z, r, r, h, h -> r, r, z, z, n, n in each row
  constexpr double expected[] = {2, 3, 0, 1, 4, 5, 8, 9, 6, 7, 10, 11};
  static_assert(copies(gru.members[0], {2, {2, 6}}, from, expected));
  constexpr double second[] = {8, 9, 6, 7, 10, 11};  // the second row
  static_assert(copies(gru.members[3], {1, {6}}, from, second));
  constexpr double none[] = {0, 0};
  static_assert(copies(nn::LSTMCell<1, 1>::in_keras().members[3], {1, {2}}, from, none));
  double to[12];
  copy_from_keras(nn::Linear<3, 4>::in_keras().members[0], {2, {3, 4}}, from, to);
  BOOST_TEST(std::memcmp(from, to, sizeof from) == 0);
}

// SPDX-License-Identifier: BSL-1.0
// Conv, ConvBN and the pooling modules: they are the ops of their names with parameters, and both layouts are one
// function.
#define BOOST_TEST_MODULE nn_conv
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::nhwc, esp::shape, esp::tensor;

namespace {
template <class M>
using model_of = esp::model<M, esp::cpu, double>;
constexpr nn::conv last{.layout = nhwc};

/// (N, C, H, W) as (N, H, W, C).
template <int N, int C, int H, int W>
tensor<double, shape<N, H, W, C>> channels_last(tensor<double, shape<N, C, H, W>> const& x) {
  tensor<double, shape<N, H, W, C>> y;
  for (int n = 0; n < N; ++n)
    for (int c = 0; c < C; ++c)
      for (int h = 0; h < H; ++h)
        for (int w = 0; w < W; ++w) y(n, h, w, c) = x(n, c, h, w);
  return y;
}
template <class To, class From>
void copy_parameters(To& to, From const& from) {
  for (std::int64_t i = 0; i < from.parameters().size(); ++i) to.parameters()[i] = from.parameters()[i];
}
/// Central differences against the gradients of every parameter.
template <class M>
bool gradients_agree(auto const& x, auto const& expected) {
  model_of<M> model{esp::seed{7}};
  auto const [loss, gradients] = esp::value_and_grad(model, nn::MeanSquaredError{})(x, expected);
  (void)loss;
  bool agree = true;
  model.for_each_parameter([&](char const* name, esp::extents const&, auto elements) {
    auto const gradient = gradients.parameter(name).span();
    for (std::int64_t i = 0; i < elements.size(); ++i) {
      constexpr double step = 1e-5;
      double const at = elements[i];
      elements[i] = at + step;
      double const above = esp::value_and_grad(model, nn::MeanSquaredError{})(x, expected).loss;
      elements[i] = at - step;
      double const below = esp::value_and_grad(model, nn::MeanSquaredError{})(x, expected).loss;
      elements[i] = at;
      agree = agree && std::abs((above - below) / (2 * step) - gradient[i]) < 1e-7;
    }
  });
  return agree;
}
}  // namespace

static_assert(esp::parameter_count<nn::Conv<3, 16, 7, nn::conv{.stride = 4}>> == 7 * 7 * 3 * 16 + 16);
static_assert(esp::parameter_count<nn::Conv<4, 8, 3, nn::conv{.groups = 2, .bias = false}>> == 3 * 3 * 2 * 8);
// Half the kernel of padding: the extent divided by the stride, rounded up.
static_assert(esp::output_shape<nn::Conv<3, 16, 7, nn::conv{.stride = 4}>, shape<2, 3, 32, 31>> ==
              shape<2, 16, 8, 8>{});
static_assert(esp::output_shape<nn::Conv<3, 4, esp::rows_columns{1, 3}, nn::conv{.padding = 0, .layout = nhwc}>,
                                shape<2, 5, 6, 3>> == shape<2, 5, 4, 4>{});
static_assert(esp::output_shape<nn::Conv<3, 4, 3, nn::conv{.dilation = 2}>, shape<1, 3, 9, 9>> == shape<1, 4, 9, 9>{});
// An even kernel and an even dilation keep the extents, too.
static_assert(esp::output_shape<nn::Conv<3, 4, 2>, shape<1, 3, 8, 8>> == shape<1, 4, 8, 8>{});
static_assert(esp::output_shape<nn::Conv<3, 4, esp::rows_columns{4, 6}>, shape<1, 3, 8, 9>> == shape<1, 4, 8, 9>{});
static_assert(esp::output_shape<nn::Conv<3, 4, 4, nn::conv{.dilation = esp::rows_columns{3, 2}}>, shape<1, 3, 8, 8>> ==
              shape<1, 4, 8, 8>{});
static_assert(esp::output_shape<nn::Conv<3, 4, 4, nn::conv{.stride = 2}>, shape<1, 3, 9, 8>> == shape<1, 4, 5, 4>{});
static_assert(esp::output_shape<nn::Conv1d<3, 4, 4>, shape<1, 3, 8>> == shape<1, 4, 8>{});
static_assert(esp::output_shape<nn::Conv1d<3, 4, 2, nn::conv{.dilation = 3, .layout = nhwc}>, shape<1, 8, 3>> ==
              shape<1, 8, 4>{});
static_assert(esp::output_shape<nn::MaxPool2d<2, esp::pooling{.stride = 1, .padding = nn::same, .layout = esp::nchw}>,
                                shape<1, 3, 8, 7>> == shape<1, 3, 8, 7>{});
static_assert(esp::output_shape<nn::AvgPool2d<4, esp::pooling{.stride = 2, .padding = nn::same, .dilation = 2}>,
                                shape<1, 3, 9, 8>> == shape<1, 3, 5, 4>{});
// PyTorch's MaxPool2d(3, stride=2, padding=1): channels are second, as in nn::Conv, although the ops have them last.
static_assert(esp::output_shape<nn::MaxPool2d<3, esp::pooling{.stride = 2, .padding = 1}>, shape<2, 8, 32, 30>> ==
              shape<2, 8, 16, 15>{});
static_assert(std::is_same_v<esp::shape_of<decltype(esp::max_pool2d<3, esp::pooling{.stride = 2, .padding = 1}>(
                                 std::declval<esp::tensor<float, shape<2, 32, 30, 8>>&>()))>,
                             shape<2, 16, 15, 8>>);
static_assert(esp::output_shape<nn::MaxPool2d<2>, shape<2, 3, 5, 6>> == shape<2, 3, 2, 3>{});
static_assert(
    esp::output_shape<nn::AvgPool2d<3, esp::pooling{.stride = 2, .padding = 1, .layout = nhwc}>, shape<2, 5, 6, 3>> ==
    shape<2, 3, 3, 3>{});
static_assert(esp::output_shape<nn::GlobalAvgPool<>, shape<2, 3, 5, 6>> == shape<2, 3>{});

BOOST_AUTO_TEST_CASE(a_conv_is_conv2d_and_a_bias) {
  model_of<nn::Conv<2, 3, 3, nn::conv{.stride = 2}>> model{esp::seed{3}};
  BOOST_TEST(parameter_list(model) == "weight(3,3,2,3) bias(3)");
  auto const x = doubles<2, 2, 5, 6>(1);
  tensor<double, shape<3, 3, 2, 3>> w;
  tensor<double, shape<3>> b;
  for (int i = 0; i < w.size(); ++i) w.data()[i] = model.parameter("weight").span()[i];
  for (int i = 0; i < 3; ++i) b[i] = model.parameter("bias").span()[i];
  auto const last_axis = channels_last(x);
  tensor<double, shape<2, 3, 3, 3>> const expected =
      conv2d<esp::convolution{.stride = 2, .padding = 1}>(last_axis, w) + b;
  BOOST_TEST(all_close(channels_last(model(x)), expected, 1e-12, 1e-12));
}
// PyTorch's padding='same': of a number of pixels that is odd, the larger half is behind the image.
BOOST_AUTO_TEST_CASE(an_even_kernel_keeps_the_extents) {
  model_of<nn::Conv<2, 3, esp::rows_columns{2, 4}, nn::conv{.dilation = esp::rows_columns{1, 3}}>> model{esp::seed{3}};
  auto const x = doubles<2, 2, 5, 6>(1);
  auto const w = model.parameter("weight").span(), b = model.parameter("bias").span();
  auto const y = model(x);
  BOOST_TEST((y.shape() == esp::extents{4, {2, 3, 5, 6}}));
  for (int n = 0; n < 2; ++n)
    for (int o = 0; o < 3; ++o)
      for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 6; ++j) {
          double sum = b[o];
          for (int r = 0; r < 2; ++r)
            for (int s = 0; s < 4; ++s)
              for (int c = 0; c < 2; ++c)
                // 0 and 4 in front, 1 and 5 behind
                if (int const row = i + r, column = j - 4 + 3 * s; row < 5 && column >= 0 && column < 6)
                  sum += x(n, c, row, column) * w[((r * 4 + s) * 2 + c) * 3 + o];
          BOOST_TEST(std::abs(y(n, o, i, j) - sum) < 1e-12);
        }
}
BOOST_AUTO_TEST_CASE(ops_take_the_padding_too) {
  auto const x = doubles<1, 5, 4, 2>(1);
  auto const w = doubles<2, 4, 2, 3>(2);
  tensor<double, shape<1, 5, 4, 3>> const y = conv2d<esp::convolution{.padding = esp::keeps_extents}>(x, w);
  tensor<double, shape<1, 5, 4, 3>> const expected = conv2d<esp::convolution{.padding = esp::edges{0, 1, 1, 2}}>(x, w);
  BOOST_TEST(all_close(y, expected, 0, 0));
  auto const signal = doubles<2, 7, 2>(3);
  auto const taps = doubles<4, 2, 3>(4);
  tensor<double, shape<2, 7, 3>> const z =
      conv1d<esp::convolution{.padding = esp::keeps_extents, .dilation = 3}>(signal, taps);
  tensor<double, shape<2, 7, 3>> const also =
      conv1d<esp::convolution{.padding = esp::edges{0, 4, 0, 5}, .dilation = 3}>(signal, taps);
  BOOST_TEST(all_close(z, also, 0, 0));
  // Of an even window, the last row and column see the padding behind: -inf, or zeros.
  tensor<double, shape<1, 2, 2, 1>> const square{{{{1}, {2}}, {{3}, {4}}}};
  tensor<double, shape<1, 2, 2, 1>> const largest =
      max_pool2d<2, esp::pooling{.stride = 1, .padding = esp::keeps_extents}>(square);
  tensor<double, shape<1, 2, 2, 1>> const mean =
      average_pool2d<2, esp::pooling{.stride = 1, .padding = esp::keeps_extents}>(square);
  double const most[] = {4, 4, 4, 4}, means[] = {2.5, 1.5, 1.75, 1};
  for (int i = 0; i < 4; ++i) BOOST_TEST((largest.data()[i] == most[i] && mean.data()[i] == means[i]));
}
BOOST_AUTO_TEST_CASE(gradients_of_even_kernels) {
  BOOST_TEST((gradients_agree<nn::Conv<2, 3, 2>>(doubles<2, 2, 4, 4>(1), doubles<2, 3, 4, 4>(2))));
  BOOST_TEST((gradients_agree<nn::Conv<2, 2, 4, nn::conv{.stride = 2, .layout = nhwc}>>(doubles<2, 5, 4, 2>(1),
                                                                                        doubles<2, 3, 2, 2>(2))));
  BOOST_TEST((gradients_agree<nn::Conv1d<2, 3, 4, nn::conv{.dilation = 3}>>(doubles<2, 2, 7>(1), doubles<2, 3, 7>(2))));
}
BOOST_AUTO_TEST_CASE(a_conv_begins_within_its_bounds) {
  model_of<nn::Conv<4, 8, 3>> model{esp::seed{1}};
  double const weight_bound = std::sqrt(6.0 / 36), bias_bound = 1.0 / 6;
  double largest = 0;
  for (double const w : model.parameter("weight").span()) largest = std::max(largest, std::abs(w));
  BOOST_TEST((largest <= weight_bound && largest > 0.9 * weight_bound));
  largest = 0;
  for (double const b : model.parameter("bias").span()) largest = std::max(largest, std::abs(b));
  BOOST_TEST((largest <= bias_bound && largest > 0.3 * bias_bound));
}
BOOST_AUTO_TEST_CASE(both_layouts_are_one_function) {
  using first = nn::Sequential<nn::ConvBN<2, 8, 3>, nn::MaxPool2d<2>, nn::ConvBN<8, 4, 3, nn::conv{.stride = 2}>,
                               nn::GlobalAvgPool<>>;
  using second = nn::Sequential<nn::ConvBN<2, 8, 3, last>, nn::MaxPool2d<2, esp::pooling{.layout = nhwc}>,
                                nn::ConvBN<8, 4, 3, nn::conv{.stride = 2, .layout = nhwc}>, nn::GlobalAvgPool<nhwc>>;
  model_of<first> a{esp::seed{5}};
  model_of<second> b{esp::seed{6}};
  copy_parameters(b, a);
  auto const x = doubles<3, 2, 8, 9>(2);
  auto const y = doubles<3, 4>(3);
  auto const z = channels_last(x);
  BOOST_TEST(all_close(a(x), b(z), 1e-12, 1e-12));
  auto const [loss, gradients] = esp::value_and_grad(a, nn::MeanSquaredError{})(x, y);
  auto const [same_loss, same_gradients] = esp::value_and_grad(b, nn::MeanSquaredError{})(z, y);
  BOOST_TEST(std::abs(loss - same_loss) < 1e-12);
  for (char const* name : {"0.conv.weight", "0.conv.bias", "0.norm.weight", "2.conv.weight", "2.norm.bias"}) {
    auto const s = gradients.parameter(name).span(), t = same_gradients.parameter(name).span();
    for (std::int64_t i = 0; i < s.size(); ++i) BOOST_TEST(std::abs(s[i] - t[i]) < 1e-12);
  }
}
BOOST_AUTO_TEST_CASE(conv_bn_names_its_parts) {
  esp::model<nn::ConvBN<2, 4, 3>> model;
  BOOST_TEST(parameter_list(model) == "conv.weight(3,3,2,4) conv.bias(4) norm.weight(4) norm.bias(4)");
}
BOOST_AUTO_TEST_CASE(weight_norm_of_a_conv_begins_as_the_conv) {
  auto const x = doubles<2, 2, 5, 5>(1);
  model_of<nn::Conv<2, 3, 3>> plain{esp::seed{4}};
  model_of<nn::WeightNorm<nn::Conv<2, 3, 3>>> normed{esp::seed{4}};
  auto const weight = plain.parameter("weight").span(), v = normed.parameter("weight_v").span();
  for (std::int64_t i = 0; i < weight.size(); ++i) BOOST_TEST(weight[i] == v[i]);
  for (int i = 0; i < 3; ++i) normed.parameter("bias").span()[i] = plain.parameter("bias").span()[i];
  BOOST_TEST(all_close(plain(x), normed(x), 1e-12, 1e-12));
}
BOOST_AUTO_TEST_CASE(a_conv1d_is_conv1d_and_a_bias) {
  model_of<nn::Conv1d<2, 3, 5, nn::conv{.stride = 2, .padding = 4, .dilation = 2}>> model{esp::seed{3}};
  BOOST_TEST(parameter_list(model) == "weight(5,2,3) bias(3)");
  model_of<nn::Conv1d<2, 3, 5, nn::conv{.stride = 2, .padding = 4, .dilation = 2, .layout = nhwc}>> same{esp::seed{4}};
  copy_parameters(same, model);
  auto const x = doubles<2, 2, 9>(1);
  auto const w = model.parameter("weight").span(), b = model.parameter("bias").span();
  auto const y = model(x);
  BOOST_TEST((y.shape() == esp::extents{3, {2, 3, 5}}));
  for (int n = 0; n < 2; ++n)
    for (int o = 0; o < 3; ++o)
      for (int i = 0; i < 5; ++i) {
        double sum = b[o];
        for (int k = 0; k < 5; ++k)
          for (int c = 0; c < 2; ++c)
            if (int const at = 2 * i - 4 + 2 * k; at >= 0 && at < 9) sum += x(n, c, at) * w[(k * 2 + c) * 3 + o];
        BOOST_TEST(std::abs(y(n, o, i) - sum) < 1e-12);
      }
  tensor<double, shape<2, 9, 2>> const last_axis = transpose(x);
  tensor<double, shape<2, 3, 5>> const back = transpose(same(last_axis));
  BOOST_TEST(all_close(back, y, 1e-12, 1e-12));
}
BOOST_AUTO_TEST_CASE(a_transposed_conv_is_the_adjoint_of_a_conv) {
  // <conv(x), y> = <x, conv_transpose(y)> without biases.
  model_of<nn::Conv<4, 6, 3, nn::conv{.stride = 2, .groups = 2, .bias = false}>> down{esp::seed{1}};
  model_of<nn::ConvTranspose<6, 4, 3, nn::conv_transpose{.stride = 2, .padding = 1, .extra = {0, 1}, .groups = 2}>> up{
      esp::seed{2}};
  BOOST_TEST(parameter_list(up) == "weight(3,3,2,6) bias(4)");
  auto const w = down.parameter("weight").span(), v = up.parameter("weight").span();
  for (std::int64_t i = 0; i < w.size(); ++i) v[i] = w[i];
  for (double& b : up.parameter("bias").span()) b = 0;
  auto const x = doubles<2, 4, 7, 8>(1);
  auto const y = doubles<2, 6, 4, 4>(2);
  auto const a = down(x);
  auto const b = up(y);
  double first = 0, second = 0;
  for (int i = 0; i < a.size(); ++i) first += a.data()[i] * y.data()[i];
  for (int i = 0; i < x.size(); ++i) second += b.data()[i] * x.data()[i];
  BOOST_TEST(std::abs(first - second) < 1e-10);
  model_of<nn::ConvTranspose<
      6, 4, 3, nn::conv_transpose{.stride = 2, .padding = 1, .extra = {0, 1}, .groups = 2, .bias = false}>>
      unbiased{esp::seed{2}};
  BOOST_TEST(parameter_list(unbiased) == "weight(3,3,2,6)");
  for (std::int64_t i = 0; i < w.size(); ++i) unbiased.parameter("weight").span()[i] = w[i];
  BOOST_TEST((unbiased(y) == b));
}

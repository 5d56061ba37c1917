// SPDX-License-Identifier: BSL-1.0
// Whole nets: inference of one sample and of a batch, and training steps.
#include "nets_side.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;

using resnet9 = nn::ResNet9<10>;
using digits_cnn = nn::Sequential<nn::Conv<1, 16, 3>, nn::ReLU, nn::MaxPool2d<2>, nn::Conv<16, 32, 3>, nn::ReLU,
                                  nn::MaxPool2d<2>, nn::Flatten, nn::Linear<32 * 7 * 7, 10>>;

/// The block of MobileNetV2, with ReLU: 1x1 to six times as many channels, 3x3 of each channel, 1x1 back.
struct inverted_residual {
  static constexpr int wide = 6 * 32;
  static constexpr nn::conv plain{.layout = esp::nhwc, .bias = false};
  static constexpr nn::conv depthwise{.groups = wide, .layout = esp::nhwc, .bias = false};
  nn::ConvBN<32, wide, 1, plain> expand;
  nn::ConvBN<wide, wide, 3, depthwise> filter;
  nn::Conv<wide, 32, 1, plain> project;
  nn::BatchNorm<32, -1> norm;
  ESPALIER_MODULE(inverted_residual, expand, filter, project, norm)
  constexpr auto forward(auto x) const { return x + norm(project(filter(expand(x)))); }
};

/// A temporal convolutional net: residual blocks of two causal convolutions.
template <int In, int Out, int Dilation>
using causal =
    nn::Conv1d<In, Out, 3, nn::conv{.padding = {0, 2 * Dilation, 0, 0}, .dilation = Dilation, .layout = esp::nhwc}>;
template <int D>
using tcn_block = nn::Residual<nn::Sequential<causal<32, 32, D>, nn::ReLU, causal<32, 32, D>, nn::ReLU>>;
using tcn = nn::Sequential<causal<1, 32, 1>, nn::ReLU, tcn_block<1>, tcn_block<2>, tcn_block<4>, tcn_block<8>,
                           tcn_block<16>, tcn_block<32>, nn::Conv1d<32, 1, 1, nn::conv{.layout = esp::nhwc}>>;

using autoencoder = nn::Sequential<nn::Linear<784, 128>, nn::ReLU, nn::Linear<128, 32>, nn::ReLU, nn::Linear<32, 128>,
                                   nn::ReLU, nn::Linear<128, 784>>;

template <class Net>
struct trained_by;
template <class Loss, int... Sample>
struct training {
  using loss = Loss;
  static constexpr double tolerance = 2e-3;
  template <int N>
  using batch = esp::batch<N, Sample...>;
};
template <>
struct trained_by<resnet9> : training<nn::SoftmaxLoss, 3, 32, 32> {};
template <>
struct trained_by<digits_cnn> : training<nn::SoftmaxLoss, 1, 28, 28> {};
template <>
struct trained_by<inverted_residual> : training<nn::MeanSquaredError, 28, 28, 32> {
  /// Of 2.4 million sums before a ReLU one may be within a rounding error of 0. Its sign decides about 1 % of the
  /// gradients of its channel, which are sums of 6272 terms of both signs.
  static constexpr double tolerance = 3e-2;
};
template <>
struct trained_by<tcn> : training<nn::MeanSquaredError, 256, 1> {};
template <>
struct trained_by<autoencoder> : training<nn::MeanSquaredError, 784> {};

template <class Net, int N>
struct net_rows {
  using how = trained_by<Net>;
  using batch = typename how::template batch<N>;
  using step = net_step<Net, typename how::loss, batch>;
  net_forward<Net, typename how::template batch<1>> one;
  net_forward<Net, batch> many;
  row step_row;
  implementation own_step;
  explicit net_rows(char const* net)
      : one{forward_name(net, 1)},
        many{forward_name(net, N)},
        step_row{step_name(net, N), step::inputs(), step::outputs(how::tolerance), 0, 0},
        own_step{step_name(net, N), "espalier", step::prepare} {}
};

#define ROWS(NET, BATCH) net_rows<NET, BATCH> const rows_of_##NET{#NET};
BENCH_NETS(ROWS)

}  // namespace

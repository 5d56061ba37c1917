// SPDX-License-Identifier: BSL-1.0
// Convolutions and poolings in all their forms, and what becomes of the order of axes; ResNet9.
#include "exported.hpp"

namespace {

using test::by;
using esp::nchw, esp::nhwc;

inline constexpr nn::conv strided{.stride = {2, 1}, .padding = {1, 2, 0, 1}};
inline constexpr nn::conv dilated{.padding = 2, .dilation = {2, 1}, .bias = false};
inline constexpr nn::conv in_groups{.groups = 2};
inline constexpr nn::conv depthwise{.stride = 2, .groups = 4};
inline constexpr nn::conv channels_last{.layout = nhwc};
inline constexpr nn::conv_transpose enlarging{.stride = 2, .padding = 1, .extra = 1};
inline constexpr nn::conv_transpose enlarging_last{.stride = {2, 3}, .dilation = {1, 2}, .layout = nhwc};
inline constexpr nn::conv_transpose enlarging_groups{.stride = 2, .groups = 2};
inline constexpr esp::pooling overlapping{.stride = 2, .padding = {1, 0}, .layout = nchw};
inline constexpr esp::pooling overlapping_last{.stride = 1, .padding = {0, 1, 1, 0}, .layout = nhwc};
inline constexpr esp::pooling spread_out{.stride = 1, .padding = 1, .dilation = 2, .layout = nchw};

using Convolutions = nn::Sequential<nn::Conv<3, 6, {3, 2}, strided>, nn::BatchNorm2d<6>, nn::ReLU,
                                    nn::Conv<6, 5, 3, dilated>, nn::GELU, nn::Conv<5, 4, 1>, nn::ReLU>;
using Groups =
    nn::Sequential<nn::Conv<4, 6, 3, in_groups>, nn::ReLU, nn::Conv<6, 4, 1, in_groups>, nn::Conv<4, 8, 3, depthwise>>;
using OfEachChannel = nn::Sequential<nn::Conv<4, 4, {3, 2}, nn::conv{.padding = {1, 0, 2, 1}, .groups = 4}>, nn::ReLU,
                                     nn::Conv<4, 4, 3, nn::conv{.dilation = 2, .groups = 4, .bias = false}>,
                                     nn::Conv<4, 12, 3, depthwise>>;
using OfEachChannelLast = nn::Conv<3, 6, 3, nn::conv{.padding = 1, .groups = 3, .layout = nhwc}>;
using Last = nn::Sequential<nn::Conv<3, 4, 3, channels_last>, nn::BatchNorm<4, -1>, nn::Conv<4, 2, 3, channels_last>>;
using Enlarged = nn::Sequential<nn::ConvTranspose<3, 4, 3, enlarging>, nn::ReLU, nn::Conv<4, 2, 3>>;
using EnlargedLast = nn::ConvTranspose<3, 2, {2, 3}, enlarging_last>;
using EnlargedGroups = nn::ConvTranspose<4, 6, 3, enlarging_groups>;
using Pools = nn::Sequential<nn::MaxPool2d<3, overlapping>,
                             nn::AvgPool2d<{3, 1}, esp::pooling{.stride = 1, .padding = {1, 0}, .layout = nchw}>,
                             nn::GlobalAvgPool<>>;
using PoolsLast = nn::Sequential<nn::AvgPool2d<2, overlapping_last>, nn::MaxPool2d<{2, 3}, overlapping_last>>;
using PoolsSpreadOut = nn::Sequential<nn::MaxPool2d<2, spread_out>, nn::AvgPool2d<2, spread_out>>;
using Norms = nn::Sequential<nn::GroupNorm<2, 4>, nn::InstanceNorm<4>, nn::Conv<4, 4, 3>, nn::GroupNorm<4, 4>>;
using Weights = nn::Sequential<nn::WeightNorm<nn::Conv<2, 3, 3>>, nn::Flatten, nn::WeightNorm<nn::Linear<48, 4>>>;

struct Signals {
  esp::parameter<esp::shape<3, 4, 6>, nn::init::initialized_by<nn::init::normal{}>> first;
  esp::parameter<esp::shape<2, 6, 3>, nn::init::initialized_by<nn::init::normal{}>> second;
  esp::parameter<esp::shape<6>, nn::init::initialized_by<nn::init::normal{}>> bias;
  ESPALIER_MODULE(Signals, first, second, bias)
  constexpr auto forward(auto x) const {
    return conv1d<esp::convolution{.dilation = 2, .layout = nchw}>(
        transpose<1, 2>(tanh(conv1d<esp::convolution{.stride = 2, .padding = 1}>(transpose<1, 2>(x), first) + bias)),
        second);
  }
};

}  // namespace

ESPALIER_EXPORTED_MAIN(
    test::put<Convolutions, esp::batch<2, 3, 7, 6>, by::interpreter>("convolutions",
                                                                     "Conv 3\nTranspose 0\nReshape 0\n");
    test::put<Convolutions, esp::batch<3, 3, 7, 6>, by::interpreter, esp::io::any_batch<3, 7, 6>>(
        "convolutions_any", "Conv 3\nTranspose 0\n");
    test::put<Groups, esp::batch<2, 4, 6, 5>, by::interpreter>("groups", "Conv 3\n");
    test::put<OfEachChannel, esp::batch<2, 4, 7, 6>, by::interpreter>("depthwise",
                                                                      "Conv 3\nTranspose 0\nMul 0\nReduceSum 0\n");
    test::put<OfEachChannel, esp::batch<3, 4, 7, 6>, by::interpreter, esp::io::any_batch<4, 7, 6>>(
        "depthwise_any", "Conv 3\nTranspose 0\nMul 0\n");
    test::put<OfEachChannelLast, esp::batch<2, 4, 5, 3>, by::interpreter>("depthwise_last", "Conv 1\nTranspose 2\n");
    test::put<Last, esp::batch<2, 5, 4, 3>, by::interpreter>("channels_last", "Conv 2\nTranspose 2\nReshape 1\n");
    test::put<Enlarged, esp::batch<2, 3, 4, 3>, by::interpreter>("transposed",
                                                                 "ConvTranspose 1\nConv 1\nTranspose 0\n");
    test::put<EnlargedLast, esp::batch<2, 3, 2, 3>, by::interpreter>("transposed_last",
                                                                     "ConvTranspose 1\nTranspose 2\n");
    test::put<EnlargedGroups, esp::batch<2, 4, 3, 3>, by::interpreter>("transposed_groups", "ConvTranspose 1\n");
    test::put<Pools, esp::batch<2, 3, 9, 8>, by::interpreter, esp::io::any_batch<3, 9, 8>>(
        "pools", "MaxPool 1\nAveragePool 1\nReduceMean 1\nTranspose 0\n");
    test::put<PoolsLast, esp::batch<2, 5, 6, 3>, by::interpreter>("pools_last",
                                                                  "MaxPool 1\nAveragePool 1\nTranspose 2\n");
    test::put<PoolsSpreadOut, esp::batch<2, 3, 6, 5>, by::interpreter>("pools_spread_out",
                                                                       "MaxPool 1\nAveragePool 0\nReduceMean 1\n");
    test::put<Norms, esp::batch<2, 4, 3, 5>, by::interpreter, esp::io::any_batch<4, 3, 5>>("norms",
                                                                                           "Conv 1\nTranspose 0\n");
    test::put<Weights, esp::batch<2, 2, 4, 4>, by::interpreter>("weight_norms", "Conv 1\nReshape 1\nMatMul 1\n");
    test::put<Signals, esp::batch<2, 4, 9>, by::interpreter>("signals", "Conv 2\nTranspose 0\n");
    test::put<nn::ResNet9<10>, esp::batch<2, 3, 32, 32>, by::kernels, esp::io::any_batch<3, 32, 32>>(
        "resnet9", "Conv 8\nTranspose 0\nReshape 1\nMatMul 2\nRelu 9\n");
    test::put<nn::ResNet9<10>, esp::batch<3, 3, 8, 9>, by::interpreter>("resnet9_small", "Conv 8\nTranspose 0\n");)

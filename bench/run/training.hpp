// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
/// Training steps with softmax cross-entropy and SGD. Operands: images, labels, then every parameter in its order of
/// declaration (weight (in, out), bias; a norm's weight and bias) -> the loss of the first step, the first layer's
/// weight and the last layer's bias after it.
namespace bench {
inline constexpr double learning_rate = 0.01;
inline constexpr int image = 784, classes = 10;
/// The nets: batch and widths of the hidden layers.
inline constexpr int small_batch = 64, small_hidden = 128;
inline constexpr int large_batch = 128, large_hidden = 512;
inline constexpr int residual_batch = 100, residual_hidden = 100, residual_blocks = 3;
}  // namespace bench

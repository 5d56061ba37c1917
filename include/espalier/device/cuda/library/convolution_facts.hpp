// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/supported.hpp"

#include <cstdint>

namespace espalier::on_cuda {

/// What a call of the convolution library computes.
///   nothing  no supported convolution
///   result   y from x and kernels
///   images   the gradient of x from the gradient of y and kernels
///   kernels  the gradient of kernels from x and the gradient of y
enum class convolved { nothing, result, images, kernels };

/// The sizes of a convolution of one group of images, or of one of its gradients:
///   y(n, p, q, k) = sum over r, s, c of x(n, p stride - padding + r dilation, ..., c) w(k, r, s, c)
/// Images are stored as (images, rows, columns, channels), kernels as (outputs, rows, columns, channels).
struct convolution_facts {
  convolved what;
  int images, x_rows, x_columns, channels;
  int y_rows, y_columns, outputs;
  int kernel_rows, kernel_columns;
  int stride[2], padding[2], dilation[2];

  constexpr std::int64_t x_size() const { return std::int64_t{images} * x_rows * x_columns * channels; }
  constexpr std::int64_t y_size() const { return std::int64_t{images} * y_rows * y_columns * outputs; }
  constexpr std::int64_t kernels_size() const {
    return std::int64_t{kernel_rows} * kernel_columns * channels * outputs;
  }
  constexpr bool is_kernel_gradient() const { return what == convolved::kernels; }
  constexpr bool is_image_gradient() const { return what == convolved::images; }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"

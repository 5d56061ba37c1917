// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/supported.hpp"

#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Which of three: y of x and kernels; the slope of x, of the slope of y and kernels; the slope of the kernels, of x and the slope of y.
enum class convolved { nothing, result, images, kernels };

/// A convolution y(n, p, q, k) = sum over r, s, c of x(n, p stride - padding + r dilation, ..., c) w(k, r, s, c) as numbers, or one of its slopes: of one group
/// of images. Images lie as (images, rows, columns, channels), kernels as (outputs, rows, columns, channels).
struct convolution_facts {
  convolved what;
  int images, x_rows, x_columns, channels;
  int y_rows, y_columns, outputs;
  int kernel_rows, kernel_columns;
  int stride[2], padding[2], dilation[2];

  constexpr std::int64_t x_size() const { return std::int64_t{images} * x_rows * x_columns * channels; }
  constexpr std::int64_t y_size() const { return std::int64_t{images} * y_rows * y_columns * outputs; }
  constexpr std::int64_t kernels_size() const { return std::int64_t{kernel_rows} * kernel_columns * channels * outputs; }
  constexpr bool slope_of_kernels() const { return what == convolved::kernels; }
  constexpr bool slope_of_images() const { return what == convolved::images; }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop

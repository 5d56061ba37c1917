// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The shapes of the convolution rows, EACH(N, H, W, C, O, K, STRIDE, PADDING): images (N, H, W, C), kernels (K, K, C,
/// O), results (N, rows, columns, O). Operands. Forward: images, kernels -> results. Gradients: images, kernels,
/// results' gradient -> the gradient of the images or of the kernels.
#include <string>

#define BENCH_CONV2D_SHAPES(EACH)    \
  EACH(32, 28, 28, 64, 64, 3, 1, 1)  \
  EACH(8, 56, 56, 64, 64, 3, 1, 1)   \
  EACH(8, 14, 14, 256, 256, 3, 1, 1) \
  EACH(8, 28, 28, 128, 128, 1, 1, 0) \
  EACH(8, 56, 56, 64, 128, 3, 2, 1)  \
  EACH(4, 224, 224, 3, 64, 7, 2, 3)  \
  EACH(32, 32, 32, 3, 16, 7, 4, 3)

namespace bench {

inline constexpr char const* conv2d_works[] = {"conv2d_forward/", "conv2d_image_gradient/", "conv2d_kernel_gradient/"};

struct conv2d_shape {
  int n, h, w, c, o, k, stride, padding;
  constexpr int rows() const { return (h + 2 * padding - k) / stride + 1; }
  constexpr int columns() const { return (w + 2 * padding - k) / stride + 1; }
  /// 8x56x56x64_3x3x128_stride2
  std::string name() const {
    auto const s = [](int x) { return std::to_string(x); };
    return s(n) + 'x' + s(h) + 'x' + s(w) + 'x' + s(c) + '_' + s(k) + 'x' + s(k) + 'x' + s(o) +
           (stride > 1 ? "_stride" + s(stride) : "");
  }
};

}  // namespace bench

// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The shapes of the convolution rows, EACH(N, H, W, C, O, K, STRIDE, PADDING, GROUPS): images (N, H, W, C), kernels
/// (K, K, C / GROUPS, O), results (N, rows, columns, O). Without GROUPS there is one group. The rows with a group for
/// each channel are those of MobileNet, the rows with 32 groups of several channels those of ResNeXt. Operands.
/// Forward: images, kernels -> results. Gradients: images, kernels, results' gradient -> the gradient of the images or
/// of the kernels.
#include <string>

#define BENCH_CONV2D_SHAPES(EACH)         \
  EACH(32, 28, 28, 64, 64, 3, 1, 1)       \
  EACH(8, 56, 56, 64, 64, 3, 1, 1)        \
  EACH(8, 14, 14, 256, 256, 3, 1, 1)      \
  EACH(8, 28, 28, 128, 128, 1, 1, 0)      \
  EACH(8, 56, 56, 64, 128, 3, 2, 1)       \
  EACH(4, 224, 224, 3, 64, 7, 2, 3)       \
  EACH(32, 32, 32, 3, 16, 7, 4, 3)        \
  EACH(8, 56, 56, 128, 128, 3, 1, 1, 32)  \
  EACH(8, 28, 28, 256, 256, 3, 1, 1, 32)  \
  EACH(8, 14, 14, 512, 512, 3, 1, 1, 32)  \
  EACH(1, 112, 112, 32, 32, 3, 1, 1, 32)  \
  EACH(8, 56, 56, 144, 144, 3, 1, 1, 144) \
  EACH(8, 56, 56, 144, 144, 3, 2, 1, 144) \
  EACH(8, 14, 14, 384, 384, 3, 1, 1, 384) \
  EACH(1, 14, 14, 384, 384, 3, 1, 1, 384) \
  EACH(8, 7, 7, 960, 960, 3, 1, 1, 960)

namespace bench {

inline constexpr char const* conv2d_works[] = {"conv2d_forward/", "conv2d_image_gradient/", "conv2d_kernel_gradient/"};

struct conv2d_shape {
  int n, h, w, c, o, k, stride, padding, groups = 1;
  constexpr int rows() const { return (h + 2 * padding - k) / stride + 1; }
  constexpr int columns() const { return (w + 2 * padding - k) / stride + 1; }
  constexpr int inputs() const { return c / groups; }  ///< channels of a group
  /// 8x56x56x64_3x3x128_stride2, 8x56x56x144_3x3x144_groups144
  std::string name() const {
    auto const s = [](int x) { return std::to_string(x); };
    return s(n) + 'x' + s(h) + 'x' + s(w) + 'x' + s(c) + '_' + s(k) + 'x' + s(k) + 'x' + s(o) +
           (stride > 1 ? "_stride" + s(stride) : "") + (groups > 1 ? "_groups" + s(groups) : "");
  }
};

}  // namespace bench

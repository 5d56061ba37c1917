// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

/// Quantization as its definition says, one number after the other, without the library's kernels.
namespace test {

struct simulated_range {
  float low, high;
  /// A float, as in a file.
  double step() const { return static_cast<float>((static_cast<double>(high) - static_cast<double>(low)) / 255); }
  int zero_point() const { return static_cast<int>(std::nearbyint(-static_cast<double>(low) / step())); }
  /// The integer of a number, as a number.
  int quantized(float x) const {
    float const scaled = x * static_cast<float>(1 / step());
    double const q = std::nearbyint(static_cast<double>(scaled)) + zero_point();
    return q < 0 ? 0 : q > 255 ? 255 : static_cast<int>(q);
  }
};

struct simulated_images {
  int count, channels, height, width;
};

/// A convolution of images (N, C, H, W) with kernels (rows, columns, C / groups, O). A matrix product is one of images
/// of a pixel.
struct simulated_convolution {
  simulated_images of;
  int rows, columns, outputs;
  int stride = 1, padding = 0, dilation = 1, groups = 1;
  bool relu = false;
  bool adds_bias_in_float = false;  ///< groups of several channels: the bias is no part of the sum

  int result_height() const { return (of.height + 2 * padding - dilation * (rows - 1) - 1) / stride + 1; }
  int result_width() const { return (of.width + 2 * padding - dilation * (columns - 1) - 1) / stride + 1; }

  std::vector<float> operator()(std::vector<float> const& x, std::vector<float> const& w,
                                std::vector<float> const& bias, simulated_range const& range) const {
    auto const [count, channels, height, width] = of;
    int const of_group = channels / groups, outputs_of_group = outputs / groups;
    std::vector<float> y;
    auto const at = [](auto const& v, int i) { return v[static_cast<std::size_t>(i)]; };
    for (int n = 0; n < count; ++n)
      for (int o = 0; o < outputs; ++o) {
        double largest = 0;
        for (int k = 0; k < rows * columns * of_group; ++k)
          largest = std::fmax(largest, std::fabs(static_cast<double>(at(w, k * outputs + o))));
        double const step = static_cast<float>(largest / 127), both = range.step() * step;
        int const first = o / outputs_of_group * of_group;
        for (int i = 0; i < result_height(); ++i)
          for (int j = 0; j < result_width(); ++j) {
            std::int64_t sum = 0;
            for (int u = 0; u < rows; ++u)
              for (int v = 0; v < columns; ++v)
                for (int c = 0; c < of_group; ++c) {
                  int const p = i * stride + u * dilation - padding, q = j * stride + v * dilation - padding;
                  bool const inside = p >= 0 && p < height && q >= 0 && q < width;
                  float const number = inside ? at(x, ((n * channels + first + c) * height + p) * width + q) : 0;
                  double const weight = std::nearbyint(
                      static_cast<double>(at(w, ((u * columns + v) * of_group + c) * outputs + o)) / step);
                  sum += (range.quantized(number) - range.zero_point()) * static_cast<std::int64_t>(weight);
                }
            if (!adds_bias_in_float)
              sum += static_cast<std::int64_t>(std::nearbyint(static_cast<double>(at(bias, o)) / both));
            float result = static_cast<float>(sum) * static_cast<float>(both);
            if (adds_bias_in_float) result += at(bias, o);
            y.push_back(relu && !(result > 0) ? 0.0f : result);
          }
      }
    return y;
  }
};

}  // namespace test

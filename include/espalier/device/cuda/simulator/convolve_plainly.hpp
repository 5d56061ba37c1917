// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../storage/bytes.hpp"
#include "../library/convolution_facts.hpp"
#include "../kernel/load_store.hpp"

namespace espalier::on_cuda::detail {

/// A reference convolution for the simulated backend: adds the terms of the definition in double, and shares no index
/// computation with products of windows.
template <class T>
void convolve_plainly(convolution_facts const& f, T const* a, T const* b, T* result) {
  auto const number = [](T x) { return static_cast<double>(static_cast<compute_type<T>>(x)); };
  std::int64_t const size = f.is_image_gradient() ? f.x_size() : f.is_kernel_gradient() ? f.kernels_size() : f.y_size();
  espalier::detail::block const memory{static_cast<std::size_t>(size) * sizeof(double)};
  double* const sums = memory.template at<double>(0);
  for (int n = 0; n < f.images; ++n)
    for (int p = 0; p < f.y_rows; ++p)
      for (int q = 0; q < f.y_columns; ++q)
        for (int r = 0; r < f.kernel_rows; ++r)
          for (int s = 0; s < f.kernel_columns; ++s) {
            int const row = p * f.stride[0] - f.padding[0] + r * f.dilation[0],
                      column = q * f.stride[1] - f.padding[1] + s * f.dilation[1];
            if (row < 0 || row >= f.x_rows || column < 0 || column >= f.x_columns) continue;
            for (int k = 0; k < f.outputs; ++k)
              for (int c = 0; c < f.channels; ++c) {
                std::int64_t const x = ((std::int64_t{n} * f.x_rows + row) * f.x_columns + column) * f.channels + c;
                std::int64_t const y = ((std::int64_t{n} * f.y_rows + p) * f.y_columns + q) * f.outputs + k;
                std::int64_t const w = ((std::int64_t{k} * f.kernel_rows + r) * f.kernel_columns + s) * f.channels + c;
                std::int64_t const first = f.is_image_gradient() ? y : x, second = f.is_kernel_gradient() ? y : w;
                sums[f.is_image_gradient()    ? x
                     : f.is_kernel_gradient() ? w
                                              : y] += number(a[first]) * number(b[second]);
              }
          }
  for (std::int64_t i = 0; i < size; ++i) result[i] = static_cast<T>(static_cast<compute_type<T>>(sums[i]));
}

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "convolution_facts.hpp"
#include "../kernel/move.hpp"
#include "../kernel/strided.hpp"
#include "../kernel/windows.hpp"

/// Recognizes products with windows that a convolution library (cuDNN) can run: a convolution, or its gradient with
/// respect to images or kernels.
namespace espalier::on_cuda {

namespace detail {

/// Whether a map is one of windows_of: rows and columns step along those of the image, images and channels are
/// unchanged.
/// Shape of windows: (images, rows, columns, kernel rows, kernel columns, channels).
constexpr bool are_plain_windows(index_map const& m, extents const& window) {
  constexpr int walks[] = {0, 1, 2, 1, 2, 3};
  if (m.rank != 6 || window.rank != 6 || m.fills_with_lowest) return false;
  for (int i = 0; i < 6; ++i)
    if (m.source[i] != walks[i]) return false;
  return m.step[0] == 1 && m.step[5] == 1 && m.start[0] == 0 && m.start[3] == 0 && m.divisor[0] == 1 &&
         m.divisor[3] == 1;
}

/// The convolution that a product with windows computes; convolved::nothing if libraries do not support it. Padding
/// must not be negative. It must be the same before and behind the image, except for pixels that no window reaches.
template <class Windows>
constexpr convolution_facts convolution_of_windows() {
  constexpr index_map m = Windows::map::value;
  constexpr extents image = Windows::image_shape::value, window = Windows::window_shape::value;
  convolution_facts f{};
  if (Windows::in_place || !are_plain_windows(m, window)) return f;
  bool const is_image_gradient = m.divisor[1] > 1 || m.divisor[2] > 1;
  if (is_image_gradient && Windows::transposed) return f;
  f.images = Windows::in_group;
  f.kernel_rows = window.at[3];
  f.kernel_columns = window.at[4];
  // Windows are of x. For the image gradient they are of the gradient of y, dilated by the stride, and the result is
  // the gradient of x.
  int const input_extents[] = {image.at[1], image.at[2], image.at[3]},
            kernel_extents[] = {window.at[1], window.at[2], Windows::outputs};
  int const *const of_x = is_image_gradient ? kernel_extents : input_extents, *const of_y = is_image_gradient
                                                                                                ? input_extents
                                                                                                : kernel_extents;
  f.what = is_image_gradient ? convolved::images : Windows::transposed ? convolved::kernels : convolved::result;
  f.x_rows = of_x[0], f.x_columns = of_x[1], f.channels = of_x[2];
  f.y_rows = of_y[0], f.y_columns = of_y[1], f.outputs = of_y[2];
  int const taps[] = {f.kernel_rows, f.kernel_columns};
  for (int i = 0; i < 2; ++i) {
    f.dilation[i] = taps[i] > 1 ? m.step[3 + i] : 1;
    f.stride[i] = is_image_gradient ? m.divisor[1 + i] : of_y[i] > 1 ? m.step[1 + i] : 1;
    int const reach = f.dilation[i] * (taps[i] - 1);
    // The taps of an image gradient run backwards, from the last one that reaches a pixel.
    f.padding[i] = is_image_gradient ? m.start[1 + i] + reach : -m.start[1 + i];
    bool const walks_on = !is_image_gradient || of_x[i] == 1 || m.step[1 + i] == 1;
    int const room = of_x[i] + 2 * f.padding[i] - reach - 1;
    if (!walks_on || f.dilation[i] < 1 || f.stride[i] < 1 || f.padding[i] < 0 || room < 0 ||
        room / f.stride[i] + 1 != of_y[i])
      return {};
  }
  return f;
}

/// A convolution as the backend receives it, once for each group of images, and the sizes of a group's operands.
/// B: the shape of the product's right operand.
template <class Windows, class B>
struct convolution_of {
  static constexpr convolution_facts value = convolution_of_windows<Windows>();
  static constexpr int groups = Windows::groups;
  /// The library is called once for each group. For more than 8 groups, one batch of products is faster.
  static constexpr bool supported = value.what != convolved::nothing && groups <= 8;
  static constexpr int taps = value.kernel_rows * value.kernel_columns;
  static constexpr std::int64_t first_size = value.is_image_gradient() ? value.y_size() : value.x_size();
  static constexpr std::int64_t second_size = value.is_kernel_gradient() ? value.y_size() : value.kernels_size();
  static constexpr std::int64_t result_size = value.is_image_gradient()    ? value.x_size()
                                              : value.is_kernel_gradient() ? value.kernels_size()
                                                                           : value.y_size();
  /// Whether all groups share the right operand, and how many groups have kernels of their own.
  static constexpr bool shares_second = B::size == second_size;
  static constexpr int kernel_groups = value.is_kernel_gradient() || !shares_second ? groups : 1;
  /// Elements of the kernels that are stored in the library's order during the call.
  static constexpr std::int64_t reordered = supported ? kernel_groups * value.kernels_size() : 0;
};

/// Reorders kernels from the product's order, (rows, columns, channels, outputs), to the library's, (outputs, rows,
/// columns, channels). For the kernel gradient it reorders the result back.
template <class T, class Convolution, convolved What>
struct reordered_kernels;
template <class T, class C>
struct reordered_kernels<T, C, convolved::result> {
  using type = permute_kernel<T, shape<C::kernel_groups, C::taps * C::value.channels, C::value.outputs>,
                              swap_permutation(3, 1, 2)>;
};
template <class T, class C>
struct reordered_kernels<T, C, convolved::kernels> {
  using type = permute_kernel<T, shape<C::kernel_groups, C::value.outputs, C::taps * C::value.channels>,
                              swap_permutation(3, 1, 2)>;
};
/// The image gradient's product has kernels (rows, columns, outputs, channels) with reversed taps: both are undone.
template <class T, class C>
struct reordered_kernels<T, C, convolved::images> {
  static constexpr auto f = C::value;
  using from = shape<C::kernel_groups, f.kernel_rows, f.kernel_columns, f.outputs, f.channels>;
  using to = shape<C::kernel_groups, f.outputs, f.kernel_rows, f.kernel_columns, f.channels>;
  using map = on_device::map_type<5, 0, 0, 1, 0, 1, 3, 1, f.kernel_rows - 1, 1, 1, -1, f.kernel_columns - 1, 1, 2, -1,
                                  0, 1, 4, 1, 0, 1, 0, 0, 0, 0>;
  using type = move_kernel<T, from, to, map>;
};

/// Runs a convolution with the backend's library. scratch: room for `reordered` elements.
template <class T, class Convolution, class Backend>
void run_convolution(Backend& backend, T const* a, T const* b, T* y, void* scratch) {
  using C = Convolution;
  constexpr bool is_kernel_gradient = C::value.is_kernel_gradient();
  using reorder = typename reordered_kernels<T, C, C::value.what>::type;
  T* const kernels = static_cast<T*>(scratch);
  if constexpr (!is_kernel_gradient) backend.template launch<reorder>({{const_cast<T*>(b), kernels}, {}});
  T const* const second = is_kernel_gradient ? b : kernels;
  T* const result = is_kernel_gradient ? kernels : y;
  for (int g = 0; g < C::groups; ++g)
    backend.template convolve<T, C>(a + g * C::first_size, second + (C::shares_second ? 0 : g * C::second_size),
                                    result + g * C::result_size);
  if constexpr (is_kernel_gradient) backend.template launch<reorder>({{kernels, y}, {}});
}

}  // namespace detail

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"

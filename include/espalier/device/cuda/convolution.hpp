// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "convolution_facts.hpp"
#include "move.hpp"
#include "strided.hpp"
#include "windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Products with windows that a library of convolutions knows by other names: a convolution, or its slope with respect to images or kernels.
namespace espalier::on_cuda {

namespace detail {

/// Windows of images as windows_of makes them: rows and columns walk along the image's, everything else stays.
constexpr bool are_plain_windows(index_map const& m, extents const& window) {
  constexpr int walks[] = {0, 1, 2, 1, 2, 3};
  if (m.rank != 6 || window.rank != 6 || m.fills_with_lowest) return false;
  for (int i = 0; i < 6; ++i)
    if (m.source[i] != walks[i]) return false;
  return m.step[0] == 1 && m.step[5] == 1 && m.start[0] == 0 && m.start[3] == 0 && m.divisor[0] == 1 && m.divisor[3] == 1;
}

/// The convolution that a product with windows is, where libraries have a word for it: padding not negative, and as much behind the image as before it
/// but for what no window reaches.
template <class Windows>
constexpr convolution_facts convolution_of_windows() {
  constexpr index_map m = Windows::map::value;
  constexpr extents image = Windows::image_shape::value, window = Windows::window_shape::value;
  convolution_facts f{};
  if (Windows::in_place || !are_plain_windows(m, window)) return f;
  bool const slope_of_images = m.divisor[1] > 1 || m.divisor[2] > 1;
  if (slope_of_images && Windows::transposed) return f;
  f.images = Windows::in_group;
  f.kernel_rows = window.at[3];
  f.kernel_columns = window.at[4];
  // What windows are taken of is x; or y, where they spread its slope, and what they give is that of x.
  int const seen[] = {image.at[1], image.at[2], image.at[3]}, given[] = {window.at[1], window.at[2], Windows::outputs};
  int const *const of_x = slope_of_images ? given : seen, *const of_y = slope_of_images ? seen : given;
  f.what = slope_of_images ? convolved::images : Windows::transposed ? convolved::kernels : convolved::result;
  f.x_rows = of_x[0], f.x_columns = of_x[1], f.channels = of_x[2];
  f.y_rows = of_y[0], f.y_columns = of_y[1], f.outputs = of_y[2];
  int const taps[] = {f.kernel_rows, f.kernel_columns};
  for (int i = 0; i < 2; ++i) {
    f.dilation[i] = taps[i] > 1 ? m.step[3 + i] : 1;
    f.stride[i] = slope_of_images ? m.divisor[1 + i] : of_y[i] > 1 ? m.step[1 + i] : 1;
    int const reach = f.dilation[i] * (taps[i] - 1);
    // The taps of a slope go the other way: from the last one that reaches a pixel.
    f.padding[i] = slope_of_images ? m.start[1 + i] + reach : -m.start[1 + i];
    bool const walks_on = !slope_of_images || of_x[i] == 1 || m.step[1 + i] == 1;
    int const room = of_x[i] + 2 * f.padding[i] - reach - 1;
    if (!walks_on || f.dilation[i] < 1 || f.stride[i] < 1 || f.padding[i] < 0 || room < 0 || room / f.stride[i] + 1 != of_y[i]) return {};
  }
  return f;
}

/// Such a convolution as a machine is told of it, group by group, and where the operands of a group lie. B: the product's right operand.
template <class Windows, class B>
struct convolution_of {
  static constexpr convolution_facts value = convolution_of_windows<Windows>();
  static constexpr int groups = Windows::groups;
  /// A library is called once for each group: for many, one product of all of them is quicker.
  static constexpr bool known = value.what != convolved::nothing && groups <= 8;
  static constexpr int taps = value.kernel_rows * value.kernel_columns;
  static constexpr std::int64_t first_size = value.slope_of_images() ? value.y_size() : value.x_size();
  static constexpr std::int64_t second_size = value.slope_of_kernels() ? value.y_size() : value.kernels_size();
  static constexpr std::int64_t result_size = value.slope_of_images() ? value.x_size() : value.slope_of_kernels() ? value.kernels_size() : value.y_size();
  /// Kernels of some groups, or one for all of them.
  static constexpr bool shares_second = B::size == second_size;
  static constexpr int kernel_groups = value.slope_of_kernels() || !shares_second ? groups : 1;
  /// Numbers that are kept in another order while it runs.
  static constexpr std::int64_t reordered = known ? kernel_groups * value.kernels_size() : 0;
};

/// Kernels as a product has them to kernels as a library has them, (outputs, rows, columns, channels), or back where the product gives their slope.
template <class T, class Convolution, convolved What>
struct reordered_kernels;
template <class T, class C>
struct reordered_kernels<T, C, convolved::result> {
  using type = permute_kernel<T, shape<C::kernel_groups, C::taps * C::value.channels, C::value.outputs>, swap_permutation(3, 1, 2)>;
};
template <class T, class C>
struct reordered_kernels<T, C, convolved::kernels> {
  using type = permute_kernel<T, shape<C::kernel_groups, C::value.outputs, C::taps * C::value.channels>, swap_permutation(3, 1, 2)>;
};
/// The taps are turned round as well.
template <class T, class C>
struct reordered_kernels<T, C, convolved::images> {
  static constexpr auto f = C::value;
  using from = shape<C::kernel_groups, f.kernel_rows, f.kernel_columns, f.outputs, f.channels>;
  using to = shape<C::kernel_groups, f.outputs, f.kernel_rows, f.kernel_columns, f.channels>;
  using map = fused::map_type<5, 0, 0, 1, 0, 1, 3, 1, f.kernel_rows - 1, 1, 1, -1, f.kernel_columns - 1, 1, 2, -1, 0, 1, 4, 1, 0, 1, 0, 0, 0, 0>;
  using type = move_kernel<T, from, to, map>;
};

/// Runs it with the machine's library. scratch: room for `reordered` numbers.
template <class T, class Convolution, class Machine>
void run_convolution(Machine& m, T const* a, T const* b, T* y, void* scratch) {
  using C = Convolution;
  constexpr bool slope_of_kernels = C::value.slope_of_kernels();
  using reorder = typename reordered_kernels<T, C, C::value.what>::type;
  T* const kernels = static_cast<T*>(scratch);
  if constexpr (!slope_of_kernels) m.template launch<reorder>({{const_cast<T*>(b), kernels}, {}});
  T const* const second = slope_of_kernels ? b : kernels;
  T* const result = slope_of_kernels ? kernels : y;
  for (int g = 0; g < C::groups; ++g)
    m.template convolve<T, C>(a + g * C::first_size, second + (C::shares_second ? 0 : g * C::second_size), result + g * C::result_size);
  if constexpr (slope_of_kernels) m.template launch<reorder>({{kernels, y}, {}});
}

}  // namespace detail

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop

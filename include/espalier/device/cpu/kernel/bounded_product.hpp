// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "bounded_moves.hpp"
#include "product.hpp"

/// Matrix products of a bounded program: for some of their rows, terms or matrices.
namespace espalier::on_cpu {

namespace detail {

/// The distinct classes of 1 ... Count calls, and for each the largest extent in it. A kernel is compiled for each
/// class, so that every number of samples runs the code of a product of exactly its size.
template <int Count>
struct extent_classes {
  int count;
  std::int64_t largest[static_cast<std::size_t>(Count)];
  unsigned char of[static_cast<std::size_t>(Count) + 1];  ///< by number of samples
};
/// class_of(extent): see row_class and term_class of contract.
template <int Count, class F>
constexpr extent_classes<Count> find_extent_classes(std::int64_t each, F class_of) {
  extent_classes<Count> r{};
  std::int64_t number[static_cast<std::size_t>(Count)]{};
  for (int n = 1; n <= Count; ++n) {
    std::int64_t const x = class_of(n * each);
    int k = r.count > 0 && number[r.count - 1] == x ? r.count - 1 : 0;
    while (k < r.count && number[k] != x) ++k;
    if (k == r.count) number[r.count++] = x;
    r.largest[k] = n * each;
    r.of[n] = static_cast<unsigned char>(k);
  }
  return r;
}

/// Calls f with the number of a class as a constant.
template <class F, int... I>
ESPALIER_INLINE void with_class(int which, F const& f, std::integer_sequence<int, I...>) {
  (void)((which == I && (f(std::integral_constant<int, I>{}), true)) || ...);
}

}  // namespace detail

/// Kernel is the product_kernel for the largest number of samples, Most.
template <class Kernel, int Most, int Each>
struct bounded_product;
template <class T, Shape A, Shape B, Shape Y, std::uint64_t Transposes, class Arch, int Most, int Each>
struct bounded_product<product_kernel<T, A, B, Y, Transposes, Arch>, Most, Each> {
  using kernel = product_kernel<T, A, B, Y, Transposes, Arch>;
  static constexpr bool transpose_a = kernel::transpose_a, transpose_b = kernel::transpose_b;
  static constexpr int rows = kernel::rows, columns = kernel::columns, inner = kernel::inner;

  template <class After = detail::no_epilogue>
  static void some_rows(T const* a, T const* b, T* y, int count, After const& after = {}) {
    // A transposed a with more than one row of terms is no sequence of samples, so a is as it is stored.
    static constexpr auto classes = detail::find_extent_classes<Most>(
        Each, [](std::int64_t m) { return contract<T, rows, columns, inner, false, transpose_b, Arch>::row_class(m); });
    detail::with_class(
        classes.of[count],
        [&](auto which) {
          constexpr std::int64_t m = classes.largest[which.value];
          if constexpr (m == 1 && !(transpose_b && columns > 1 && inner > 1)) {
            contract_row<T, inner, columns, Arch>::run(a, b, y, after);
          } else {
            using product = contract<T, m, columns, inner, false, transpose_b, Arch>;
            typename product::on_stack own;
            product::run_rows(own, a, b, y, std::int64_t{count} * Each, after);
          }
        },
        std::make_integer_sequence<int, classes.count>{});
  }
  template <class After = detail::no_epilogue>
  static void some_terms(T const* a, T const* b, T* y, int count, After const& after = {}) {
    static constexpr auto classes = detail::find_extent_classes<Most>(
        Each, [](std::int64_t k) { return contract<T, rows, columns, inner, true, false, Arch>::term_class(k); });
    detail::with_class(
        classes.of[count],
        [&](auto which) {
          using product = contract<T, rows, columns, classes.largest[which.value], true, false, Arch>;
          typename product::on_stack own;
          product::run_terms(own, a, b, y, std::int64_t{count} * Each, after);
        },
        std::make_integer_sequence<int, classes.count>{});
  }
  template <class After = detail::no_epilogue>
  static void some_matrices(T const* a, T const* b, T* y, int count, After const& after = {}) {
    typename kernel::matrices::on_stack own;
    kernel::some(own, a, b, y, after, 0, std::int64_t{count} * Each);
  }
};

namespace detail {
template <class Pixels, class T, class B, class Y, std::uint64_t Attribute, class Arch>
using window_product_of =
    window_product<T, typename Pixels::image, typename Pixels::window, typename Pixels::map, B, Y, Attribute, Arch>;
template <class Pixels, class T, std::uint64_t Attribute, int Outputs, class Arch>
using tap_sum_product_of =
    tap_sum_product<T, typename Pixels::image, typename Pixels::window, typename Pixels::map, Attribute, Outputs, Arch>;
}  // namespace detail

/// A product of pixels in groups. For a fixed number of samples they are the pixels of one image; here each sample is
/// an image.
template <class T, class Product>
struct bounded_pixels {
  template <class After = detail::no_epilogue>
  static void some_rows(T const* a, T const* b, T* y, int count, After const& after = {}) {
    bounded_kernel<Product>::run(a, b, y, count, after);
  }
  template <class After = detail::no_epilogue>
  static void some_terms(T const* a, T const* b, T* y, int count, After const& after = {}) {
    bounded_kernel<Product>::run(a, b, y, count, after);
  }
};
template <class T, int Rows, int Columns, int Channels, class Window, class Map, class B, class Y,
          std::uint64_t Attribute, class Arch, int Most, int Each>
struct bounded_product<window_product<T, shape<1, Rows, Columns, Channels>, Window, Map, B, Y, Attribute, Arch>, Most,
                       Each>
    : bounded_pixels<T, detail::window_product_of<detail::pixels_as_windows<shape<Rows * Columns, Channels>, Most>, T,
                                                  B, Y, Attribute, Arch>> {};
template <class T, int Rows, int Columns, int Channels, class Window, class Map, std::uint64_t Attribute, int Outputs,
          class Arch, int Most, int Each>
struct bounded_product<tap_sum_product<T, shape<1, Rows, Columns, Channels>, Window, Map, Attribute, Outputs, Arch>,
                       Most, Each>
    : bounded_pixels<T, detail::tap_sum_product_of<detail::pixels_as_windows<shape<Rows * Columns, Channels>, Most>, T,
                                                   Attribute, Outputs, Arch>> {};
}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"

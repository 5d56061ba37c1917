// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "../../../operation/rule.hpp"
#include "../../../shape/tap_products.hpp"
#include "../product/contract.hpp"
#include "../thread/team.hpp"
#include "window_gradient.hpp"
#include "window_sums.hpp"
#include "window_tap_gradient.hpp"
#include "window_tap_products.hpp"

/// Convolutions and pooling: products and reductions that read windows of images in place. The matrix of windows, which
/// repeats elements of the image, is never stored.
namespace espalier::on_cpu {

namespace detail {

/// The epilogue of the results of one of several groups, which are the columns [first, first + Outputs) of all results.
template <int Outputs, class After>
struct shifted_epilogue {
  After const& after;
  int first;
  ESPALIER_INLINE void operator()(std::int64_t row, std::int64_t rows, std::int64_t column,
                                  std::int64_t columns) const {
    after.template columns_of_group<Outputs>(row, rows, first + column, columns);
  }
};
template <int Groups, int Outputs, class After>
ESPALIER_INLINE decltype(auto) epilogue_of_group(After const& after, int group) {
  if constexpr (Groups == 1 || std::is_same_v<After, no_epilogue>) return (after);
  else return shifted_epilogue<Outputs, After>{after, group * Outputs};
}

}  // namespace detail

/// y = op(windows of x) b, for batches of images: a convolution (windows times kernels), or the gradient with respect
/// to its kernels (transposed windows times dy). Each image is padded into a scratch that fits in the L2 cache, a band
/// of rows at a time. There windows are rows of matrices that overlap, so the micro-kernel of matrix products reads
/// them in place. Of several groups, each has some channels of the images, some columns of b (of y, for the gradient)
/// and some channels of the results.
/// Weight: half or bfloat16 for kernels that are widened as they are loaded or packed.
template <class T, Shape Image, Shape Window, class Map, Shape B, Shape Y, std::uint64_t Attribute, class Arch,
          class Weight = T>
struct window_product : independent_parts {
  using weight = Weight;
  static constexpr int groups = graph::groups_in(Attribute);
  using facts = detail::window_facts<Image, Window, Map, groups>;
  static constexpr bool transposed = graph::transposes_in(Attribute).a;
  static_assert(std::is_same_v<T, Weight> || !transposed);  // no gradient is stored in 16 bits
  static constexpr int batch = static_cast<int>(Y::value.product(0, Y::rank - 2)),
                       all_outputs = Y::template extent<-1>(), outputs = all_outputs / groups;
  static constexpr std::int64_t depth = std::int64_t{facts::kernel_rows} * facts::kernel_columns * facts::channels;
  static constexpr std::int64_t pixels = std::int64_t{facts::rows} * facts::columns;
  using gradient = detail::window_gradient<T, facts, outputs, Arch>;
  using sums = window_sums<T, facts, outputs, Arch, Weight>;
  static constexpr std::int64_t flops = facts::images * pixels * depth * all_outputs * 2;

  static constexpr bool turned = (Attribute & graph::turned_kernels) != 0;
  using tap_products = window_tap_products<T, facts, outputs, turned, Arch, Weight>;
  static constexpr int images_per_batch = facts::images / batch,
                       images_per_group = tap_products::layout::images_of(images_per_batch),
                       image_groups = (images_per_batch + images_per_group - 1) / images_per_group;
  static constexpr direct_costs costs =
      costs_of_direct(Image::value, Window::value, facts::map, images_per_batch, outputs);
  using tap_gradient = window_tap_gradient<T, facts, outputs, images_per_batch, Arch>;
  static constexpr bool by_taps =
      groups == 1 &&
      (turned || (transposed ? costs.prefers_taps_for_kernels() && tap_gradient::fits : costs.prefers_taps()));

  /// Units that can be computed independently: bands of images, panels of outputs, or parts of the gradient of the
  /// kernels. For the latter, every part pads the images again.
  static constexpr std::int64_t units = [] {
    if constexpr (transposed && by_taps) return std::int64_t{batch} * tap_gradient::units;
    else if constexpr (transposed) return groups * gradient::units;
    else if constexpr (by_taps) return std::int64_t{batch} * image_groups * tap_products::panels;
    else return std::int64_t{facts::images} * sums::layout::bands;
  }();
  static constexpr int most_parts = detail::parts_along(units, flops / 64),
                       parts = transposed && most_parts > 8 ? 8 : most_parts;

  /// What a call needs for itself: one of these, or sums and kernels of a panel.
  struct arrays_of_bands {
    typename sums::prepared use[static_cast<std::size_t>(sums::layout::once ? groups : 1)];
    static constexpr std::int64_t distance = sums::layout::reach_rows(sums::layout::band) * sums::layout::padded_row;
    alignas(64) T padded[sums::layout::in_place ? 1 : static_cast<unsigned long>(sums::layout::images * distance)];
  };
  static constexpr auto find_arrays() {
    if constexpr (transposed && by_taps) return std::type_identity<typename tap_gradient::arrays>{};
    else if constexpr (transposed) return std::type_identity<typename gradient::arrays>{};
    else return std::type_identity<arrays_of_bands>{};
  }
  using arrays = typename decltype(find_arrays())::type;
  static constexpr std::int64_t room_size = [] {
    if constexpr (by_taps && !transposed) return tap_products::template room_size<images_per_group>;
    else return static_cast<std::int64_t>(sizeof(arrays) / sizeof(T));  // it is aligned as cache lines
  }();

  /// after: the epilogue of each finished rectangle of y; rows are counted through all images.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(T const* x, Weight const* b, T* y, After const& after = {}) {
    room_on_stack<T, room_size> own;
    some(own, x, b, y, after, 0, units, facts::images);
  }
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(room<T> own, T const* x, Weight const* b, T* y, After const& after = {}) {
    some(own, x, b, y, after, 0, units, facts::images);
  }
  /// The first images of all.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run_images(T const* x, Weight const* b, T* y, int images, After const& after = {}) {
    room_on_stack<T, room_size> own;
    if constexpr (transposed) some(own, x, b, y, after, 0, units, images);
    else some(own, x, b, y, after, 0, by_taps ? units : std::int64_t{images} * sums::layout::bands, images);
  }
  ESPALIER_KERNEL static void part(room<T> own, T const* x, Weight const* b, T* y, T* shared, int which) {
    part(own, x, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  ESPALIER_KERNEL static void part(room<T> own, T const* x, Weight const* b, T* y, After const& after, T*, int which) {
    some(own, x, b, y, after, detail::part_begin(units, parts, which), detail::part_begin(units, parts, which + 1),
         facts::images);
  }

 private:
  template <class After>
  static ESPALIER_INLINE void some(room<T> own, T const* x, Weight const* b, T* y, After const& after,
                                   std::int64_t first_unit, std::int64_t last_unit, int images) {
    if constexpr (transposed) {
      static_assert(std::is_same_v<After, detail::no_epilogue>);
      auto& all = *reinterpret_cast<arrays*>(own.at);
      if constexpr (by_taps) kernel_gradients_by_taps(all, x, b, y, first_unit, last_unit, images);
      else kernel_gradients(all, x, b, y, first_unit, last_unit, images);
    } else if constexpr (by_taps) {
      panels_of_taps(own, x, b, y, after, first_unit, last_unit, images);
    } else {
      bands(*reinterpret_cast<arrays*>(own.at), x, b, y, after, first_unit, last_unit);
    }
  }
  template <class After>
  static ESPALIER_INLINE void bands(arrays_of_bands& own, T const* x, Weight const* b, T* y, After const& after,
                                    std::int64_t first_unit, std::int64_t last_unit) {
    using layout = typename sums::layout;
    constexpr bool one_b = B::size == B::value.product(B::rank - 2, B::rank);
    constexpr int advance = layout::by_row::advance, low = layout::by_row::taps.tap_low;
    constexpr int kept_groups = layout::once ? groups : 1;
    auto* const use = own.use;
    int prepared_batch = -1;
    for (std::int64_t unit = first_unit; unit < last_unit;) {
      int const i = static_cast<int>(unit / layout::bands), g = one_b ? 0 : i / images_per_batch,
                line = static_cast<int>(unit % layout::bands) * layout::band;
      std::int64_t const last = one_b || last_unit < (g + 1) * images_per_batch * std::int64_t{layout::bands}
                                    ? last_unit
                                    : (g + 1) * images_per_batch * std::int64_t{layout::bands};
      int const left = layout::by_row::most - line, count = left < layout::band ? left : layout::band,
                images = last - unit < layout::images ? static_cast<int>(last - unit) : layout::images;
      unit += images;
      Weight const* const kernels = b + g * depth * all_outputs;
      if (g != prepared_batch)
        for (int k = 0; k < kept_groups; ++k) sums::prepare_once(kernels + k * outputs, use[k]);
      prepared_batch = g;
      T const* const image = x + i * facts::image;
      T* const to = y + i * pixels * all_outputs;
      auto const run = [&](typename sums::band some) {
        for (int k = 0; k < groups; ++k, some.from += facts::channels)
          sums::run(some, kernels + k * outputs, use[k % kept_groups], to + k * outputs, i * pixels,
                    detail::epilogue_of_group<groups, outputs>(after, k));
      };
      if constexpr (layout::in_place) {
        run({image, 0, 0, facts::image, images, line, count});
      } else {
        constexpr std::int64_t distance = arrays_of_bands::distance;
        int const row = low + (advance < 0 ? advance * (line + count - 1) : advance * line);
        for (int k = 0; k < images; ++k)
          detail::spread_rows<T, typename layout::padded, Arch>(own.padded + k * distance, image + k * facts::image,
                                                                row, layout::reach_rows(count));
        run({own.padded, row, layout::low, distance, images, line, count});
      }
    }
  }
  /// A unit, counted from the first one of a group, but not outside the group.
  static constexpr std::int64_t unit_of_group(std::int64_t unit, int group) {
    std::int64_t const at = unit - group * gradient::units;
    return at < 0 ? 0 : at < gradient::units ? at : gradient::units;
  }
  template <class After>
  static ESPALIER_INLINE void panels_of_taps(room<T> own, T const* x, Weight const* b, T* y, After const& after,
                                             std::int64_t first_unit, std::int64_t last_unit, int last_image) {
    for (std::int64_t unit = first_unit; unit < last_unit; ++unit) {
      int const g = static_cast<int>(unit / (image_groups * tap_products::panels)),
                group = static_cast<int>(unit / tap_products::panels % image_groups),
                begin = g * images_per_batch + group * images_per_group, of_batch = (g + 1) * images_per_batch - begin,
                left = last_image - begin, most = of_batch < images_per_group ? of_batch : images_per_group,
                images = left < most ? left : most;
      if (images <= 0) return;
      tap_products::template run<images_per_group>(
          own, x + begin * facts::image,
          B::size == B::value.product(B::rank - 2, B::rank) ? b : b + g * depth * outputs, y + begin * pixels * outputs,
          images, static_cast<int>(unit % tap_products::panels), begin * pixels, after);
    }
  }
  static ESPALIER_INLINE void kernel_gradients_by_taps(arrays& own, T const* x, T const* dy, T* y,
                                                       std::int64_t first_unit, std::int64_t last_unit,
                                                       int last_image) {
    for (std::int64_t unit = first_unit; unit < last_unit; ++unit) {
      int const g = static_cast<int>(unit / tap_gradient::units), begin = g * images_per_batch,
                left = last_image - begin, images = left < images_per_batch ? left : images_per_batch;
      if (images <= 0) return;
      tap_gradient::run(own, x + begin * facts::image, dy + begin * pixels * outputs, y + g * depth * outputs, images,
                        static_cast<int>(unit % tap_gradient::units));
    }
  }
  static ESPALIER_INLINE void kernel_gradients(arrays& own, T const* x, T const* dy, T* y, std::int64_t first_unit,
                                               std::int64_t last_unit, int last_image) {
    using layout = typename gradient::layout;
    own.list_windows();
    for (int i = 0; i < last_image;) {
      int const g = i / images_per_batch,
                end = last_image < (g + 1) * images_per_batch ? last_image : (g + 1) * images_per_batch,
                images = end - i < layout::images ? end - i : layout::images;
      T* const to = y + g * depth * all_outputs;
      bool const first = i == g * images_per_batch;
      T const* const image = x + i * facts::image;
      T const* const from = dy + i * pixels * all_outputs;
      for (int row = 0; row < facts::rows; row += layout::band) {
        int const lines = facts::rows - row < layout::band ? facts::rows - row : layout::band,
                  count = images * lines * facts::columns;
        T const* const of_row = from + std::int64_t{row} * facts::columns * all_outputs;
        auto const add = [&](T const* windows_at) {
          for (int k = 0; k < groups; ++k)
            gradient::add(windows_at + k * facts::channels, own, count, of_row + k * outputs, to + k * outputs,
                          first && row == 0, unit_of_group(first_unit, k), unit_of_group(last_unit, k));
        };
        if constexpr (facts::in_place) {
          add(image + (facts::row_start + std::int64_t{row} * facts::row_step) * layout::stride +
              std::int64_t{facts::column_start} * facts::pixel);
        } else {
          int const low = layout::low_row(lines) + row * facts::row_step;
          for (int k = 0; k < images; ++k)
            detail::spread_rows<T, typename layout::padded, Arch>(
                own.padded + k * layout::image, image + k * facts::image, low, layout::reach_rows(lines));
          add(own.padded + (facts::row_start + row * facts::row_step - low) * layout::stride +
              std::int64_t{facts::column_start - layout::low_column} * facts::pixel);
        }
      }
      i += images;
    }
  }
};

/// y = the reduction of each window of x over its taps.
template <class T, class Op, Shape Image, Shape Window, class Map, class Arch>
struct window_reduction : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  using V = pack<T, Arch>;

  template <int Count>
  static ESPALIER_INLINE void some(T const* image, T* y, int row, int column) {
    // Long sums are added in blocks (see cascade.hpp).
    constexpr int levels = detail::count_levels(facts::kernel_rows * facts::kernel_columns / detail::terms_of_block);
    V sums[static_cast<unsigned long>(levels + 1)];
    for (V& sum : sums) sum = V(static_cast<T>(described<Op>.identity));
    V& all = sums[0];
    [[maybe_unused]] auto const move = [&](int to, int from) {
      sums[to] = rule<Op>::combine(sums[to], sums[from]);
      sums[from] = V(static_cast<T>(described<Op>.identity));
    };
    [[maybe_unused]] int terms = 0;
    bool fills = false;
    for (int r = 0; r < facts::kernel_rows; ++r) {
      int const p = facts::row_start + row * facts::row_step + r * facts::row_tap;
      bool const row_inside =
          facts::in_place || (p >= 0 && p < facts::height * facts::row_divisor && p % facts::row_divisor == 0);
      for (int k = 0; k < facts::kernel_columns; ++k) {
        int const q = facts::column_start + column * facts::column_step + k * facts::column_tap;
        if (row_inside &&
            (facts::in_place || (q >= 0 && q < facts::width * facts::column_divisor && q % facts::column_divisor == 0)))
          all = rule<Op>::combine(
              all, V::template load_first<Count>(
                       image + (std::int64_t{p / facts::row_divisor} * facts::width + q / facts::column_divisor) *
                                   facts::channels));
        else fills = true;
        if constexpr (levels > 0)
          if (++terms % detail::terms_of_block == 0)
            detail::carry_block<levels>(terms / detail::terms_of_block - 1, move);
      }
    }
    if constexpr (levels > 0) detail::gather_levels<levels>(move);
    constexpr T filler = facts::map.fills_with_lowest ? -math::infinity<T> : T(0);
    if (fills) all = rule<Op>::combine(all, V(filler));
    all.template store_first<Count>(y);
  }
  static constexpr std::int64_t result_rows = std::int64_t{facts::images} * facts::rows;
  static constexpr int parts = detail::parts_along(
      result_rows, result_rows* facts::columns* facts::kernel_rows* facts::kernel_columns* facts::channels);

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) { some(x, y, 0, result_rows); }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    some(x, y, detail::part_begin(result_rows, parts, which), detail::part_begin(result_rows, parts, which + 1));
  }

  /// Rows first ... last - 1 of the results of all images.
  static ESPALIER_INLINE void some(T const* x, T* y, std::int64_t first, std::int64_t last) {
    constexpr int tail = facts::channels % V::size;
    x += first / facts::rows * facts::image;
    y += first * facts::columns * facts::channels;
    for (std::int64_t i = first / facts::rows; i * facts::rows < last; ++i, x += facts::image)
      for (int row = i * facts::rows < first ? static_cast<int>(first % facts::rows) : 0;
           row < facts::rows && i * facts::rows + row < last; ++row)
        for (int column = 0; column < facts::columns; ++column, y += facts::channels) {
          for (int c = 0; c + V::size <= facts::channels; c += V::size) some<V::size>(x + c, y + c, row, column);
          if constexpr (tail != 0) some<tail>(x + facts::channels - tail, y + facts::channels - tail, row, column);
        }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"

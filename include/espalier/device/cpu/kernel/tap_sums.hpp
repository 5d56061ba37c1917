// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "windows.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Convolutions of one channel per group: sums of windows of images times a factor, channel by channel. The images are
/// read in place: neither windows nor products are stored, and padding is not copied.
namespace espalier::on_cpu {

namespace detail {

/// The columns of a line of windows, as kernels compute them. Columns at a distance of `phases` are computed together:
/// they have the same taps, whose pixels are `pixel_step` apart. There is more than one phase only if the image is
/// dilated, as the images' gradient of a convolution with a stride is.
template <class Facts>
struct tap_columns {
  static constexpr int taps = Facts::kernel_columns;
  static constexpr int phases =
      Facts::column_divisor / greatest_common_divisor(Facts::column_divisor, Facts::column_step);
  static constexpr int pixel_step = phases * Facts::column_step / Facts::column_divisor;

  static constexpr int numerator(int phase, int tap) {
    return Facts::column_start + phase * Facts::column_step + tap * Facts::column_tap;
  }
  /// Whether a tap reads pixels of the image, not of the zeros between them.
  static constexpr bool reads(int phase, int tap) { return numerator(phase, tap) % Facts::column_divisor == 0; }
  /// The pixel that a tap reads for column i of a phase.
  static constexpr int pixel(int phase, int tap, int i) {
    return numerator(phase, tap) / Facts::column_divisor + i * pixel_step;
  }
  static constexpr bool inside(int phase, int tap, int i) {
    return reads(phase, tap) && pixel(phase, tap, i) >= 0 && pixel(phase, tap, i) < Facts::width;
  }
  static constexpr int count(int phase) {
    return phase < Facts::columns ? (Facts::columns - phase + phases - 1) / phases : 0;
  }
  /// Whether all taps that read pixels read column i inside the image.
  static constexpr bool whole(int phase, int i) {
    for (int k = 0; k < taps; ++k)
      if (reads(phase, k) && !inside(phase, k, i)) return false;
    return true;
  }
  /// The columns first ... last - 1 of a phase are whole.
  static constexpr int first_whole(int phase) {
    int i = 0;
    while (i < count(phase) && !whole(phase, i)) ++i;
    return i;
  }
  static constexpr int last_whole(int phase) {
    int i = count(phase);
    while (i > first_whole(phase) && !whole(phase, i - 1)) --i;
    return i;
  }
};

/// How the columns of a phase are cut into blocks, whose sums are in registers.
struct column_blocks {
  int count;  ///< columns of a block
  int blocks;
  int last;       ///< columns of the last block
  bool at_edges;  ///< only the first and the last block have taps outside the image
};
template <class Columns, int Phase>
constexpr column_blocks find_column_blocks(int most) {
  int const n = Columns::count(Phase);
  if (n == 0) return {1, 0, 0, true};
  int each = n < most ? n : most;
  for (int some = each; 2 * some > most; --some)
    if (n % some == 0) {
      each = some;
      break;
    }
  int const blocks = (n + each - 1) / each, last = n - (blocks - 1) * each;
  return {each, blocks, last, Columns::first_whole(Phase) <= each && Columns::last_whole(Phase) >= n - last};
}

/// The rows of an image, and of the kernel, that one row of results reads.
template <class T, class Facts>
struct rows_in_reach {
  std::int64_t pixels[static_cast<std::size_t>(Facts::kernel_rows)];  ///< offset of the row in the image
  int tap[static_cast<std::size_t>(Facts::kernel_rows)];
  int count = 0;

  ESPALIER_INLINE explicit rows_in_reach(int row) {
    for (int r = 0; r < Facts::kernel_rows; ++r) {
      int const p = Facts::row_start + row * Facts::row_step + r * Facts::row_tap;
      if (p < 0 || p >= Facts::height * Facts::row_divisor || p % Facts::row_divisor != 0) continue;
      pixels[count] = std::int64_t{p / Facts::row_divisor} * Facts::width * Facts::channels;
      tap[count++] = r;
    }
  }
};

/// Images that no cache near a core holds, in bytes. For these, the lines of the next block are prefetched: a block
/// reads a register of each of its pixels in turn, which are more streams than hardware prefetchers follow. It gains
/// 10 to 25 % for 8 images of 56 x 56 x 144, and costs up to 10 % if the images are in the L2 cache.
inline constexpr std::int64_t bytes_beyond_caches = std::int64_t{4} << 20;
template <class T, class Facts>
inline constexpr bool prefetches_pixels =
    Facts::images* Facts::image* static_cast<std::int64_t>(sizeof(T)) > bytes_beyond_caches;
template <std::int64_t Distance, class T, int... I>
ESPALIER_INLINE void prefetch_pixels(T const* from, std::integer_sequence<int, I...>) {
  (__builtin_prefetch(from + I * Distance), ...);
}

/// The taps of a row that are multiplied without a loop: more would be too much code.
inline constexpr int most_unrolled_taps = 12;

}  // namespace detail

/// y = windows of x times a factor for each tap and channel, summed over the taps.
/// x: (images, height, width, C); factor: (kernel rows, kernel columns, C); y: (images, rows, columns, C)
template <class T, Shape Image, Shape Window, class Map, class Arch>
struct tap_sums : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  using columns = detail::tap_columns<facts>;
  using rows_in_reach = detail::rows_in_reach<T, facts>;
  using V = pack<T, Arch>;
  static constexpr int channels = facts::channels, taps = facts::kernel_columns;
  /// Channels of a register. Behind the last whole register of a pixel, one that overlaps it has the other channels.
  static constexpr int lanes = channels < V::size ? channels : V::size;
  static constexpr int most_columns = detail::register_count<Arch> == 32 ? 8 : 6;
  static constexpr bool unrolled = taps <= detail::most_unrolled_taps;

  static constexpr std::int64_t result_rows = std::int64_t{facts::images} * facts::rows;
  static constexpr int parts = detail::parts_along(
      result_rows, result_rows* facts::columns* facts::kernel_rows* facts::kernel_columns* channels);

  ESPALIER_KERNEL static void run(T const* x, T const* factor, T* y) { some(x, factor, y, 0, result_rows); }
  ESPALIER_KERNEL static void part(T const* x, T const* factor, T* y, T*, int which) {
    some(x, factor, y, detail::part_begin(result_rows, parts, which),
         detail::part_begin(result_rows, parts, which + 1));
  }
  /// Rows first ... last - 1 of the results of all images.
  static ESPALIER_INLINE void some(T const* x, T const* factor, T* y, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      row(x + i / facts::rows * facts::image, factor, y + i * facts::columns * channels,
          rows_in_reach{static_cast<int>(i % facts::rows)}, std::make_integer_sequence<int, columns::phases>{});
  }

 private:
  static ESPALIER_INLINE V load(T const* from) { return V::template load_first<lanes>(from); }

  template <int... Phase>
  static ESPALIER_INLINE void row(T const* image, T const* factor, T* y, rows_in_reach const& reach,
                                  std::integer_sequence<int, Phase...>) {
    (phase<Phase>(image, factor, y + std::int64_t{Phase} * channels, reach), ...);
  }
  template <int Phase>
  static ESPALIER_INLINE void phase(T const* image, T const* factor, T* y, rows_in_reach const& reach) {
    constexpr int n = columns::count(Phase);
    constexpr detail::column_blocks cut = detail::find_column_blocks<columns, Phase>(most_columns);
    if constexpr (n == 0) {
    } else if constexpr (unrolled && cut.at_edges) {
      constexpr bool left = columns::first_whole(Phase) > 0, right = columns::last_whole(Phase) < n;
      constexpr int last = n - cut.last;
      if constexpr (cut.blocks == 1) {
        block<Phase, 0, n, left || right>(image, factor, y, reach, 0);
      } else {
        if constexpr (left) block<Phase, 0, cut.count, true>(image, factor, y, reach, 0);
        for (int i = left ? cut.count : 0; i < (right || cut.last != cut.count ? last : n); i += cut.count)
          block<Phase, 0, cut.count, false>(image, factor, y, reach, i);
        if constexpr (right || cut.last != cut.count)
          block<Phase, last, cut.last, right>(image, factor, y, reach, last);
      }
    } else {
      constexpr int first = columns::first_whole(Phase), last = columns::last_whole(Phase),
                    rest = first + (last - first) / cut.count * cut.count;
      for (int i = 0; i < first; ++i) column<Phase>(image, factor, y, reach, i);
      for (int i = first; i < rest; i += cut.count) block<Phase, 0, cut.count, false>(image, factor, y, reach, i);
      for (int i = rest; i < n; ++i) column<Phase>(image, factor, y, reach, i);
    }
  }

  /// Count columns from i on. Edge: they are those from First on, whose taps may be outside the image.
  template <int Phase, int First, int Count, bool Edge>
  static ESPALIER_INLINE void block(T const* image, T const* factor, T* y, rows_in_reach const& reach, int i) {
    if constexpr (!Edge) image += std::int64_t{i} * columns::pixel_step * channels;
    y += std::int64_t{i} * columns::phases * channels;
    for (int c = 0; c + lanes <= channels; c += lanes)
      block_of_channels<Phase, First, Count, Edge>(image + c, factor + c, y + c, reach);
    if constexpr (constexpr int c = channels - lanes; channels % lanes != 0)
      block_of_channels<Phase, First, Count, Edge>(image + c, factor + c, y + c, reach);
  }
  template <int Phase, int First, int Count, bool Edge>
  static ESPALIER_INLINE void block_of_channels(T const* image, T const* factor, T* y, rows_in_reach const& reach) {
    using all_taps = std::make_integer_sequence<int, unrolled ? taps : 0>;
    using all_columns = std::make_integer_sequence<int, Count>;
    if constexpr (detail::prefetches_pixels<T, facts>) {
      using next_pixels = std::make_integer_sequence<int, Count * columns::pixel_step>;
      if (reach.count > 0)
        detail::prefetch_pixels<channels>(
            image + reach.pixels[reach.count - 1] + std::int64_t{Count} * columns::pixel_step * channels,
            next_pixels{});
    }
    V sums[static_cast<std::size_t>(Count)];
    clear(sums, all_columns{});
    for (int r = 0; r < reach.count; ++r) {
      T const *const from = image + reach.pixels[r], *const w = factor + std::int64_t{reach.tap[r]} * taps * channels;
      if constexpr (unrolled) {
        add_taps<Phase, Edge ? First : 0, Edge>(sums, from, w, all_columns{}, all_taps{});
      } else {
        for (int k = 0; k < taps; ++k)
          if (columns::reads(Phase, k))
            add_whole_tap(sums, from + std::int64_t{columns::pixel(Phase, k, 0)} * channels,
                          load(w + std::int64_t{k} * channels), all_columns{});
      }
    }
    store(sums, y, all_columns{});
  }
  template <int... I>
  static ESPALIER_INLINE void clear(V* sums, std::integer_sequence<int, I...>) {
    ((sums[I] = V(T(0))), ...);
  }
  template <int... I>
  static ESPALIER_INLINE void store(V const* sums, T* y, std::integer_sequence<int, I...>) {
    (sums[I].template store_first<lanes>(y + std::int64_t{I} * columns::phases * channels), ...);
  }
  template <int Phase, int First, bool Edge, int... I, int... K>
  static ESPALIER_INLINE void add_taps(V* sums, T const* from, T const* w, std::integer_sequence<int, I...> all,
                                       std::integer_sequence<int, K...>) {
    (add_tap<Phase, K, First, Edge>(sums, from, w, all), ...);
  }
  template <int Phase, int K, int First, bool Edge, int... I>
  static ESPALIER_INLINE void add_tap(V* sums, T const* from, T const* w, std::integer_sequence<int, I...>) {
    if constexpr (columns::reads(Phase, K)) {
      V const weight = load(w + std::int64_t{K} * channels);
      (add_pixel<Phase, K, First + I, Edge>(
           sums[I], from + std::int64_t{columns::pixel(Phase, K, First + I)} * channels, weight),
       ...);
    }
  }
  template <int Phase, int K, int I, bool Edge>
  static ESPALIER_INLINE void add_pixel(V& sum, T const* from, V weight) {
    if constexpr (!Edge || columns::inside(Phase, K, I)) sum = fma(load(from), weight, sum);
  }
  template <int... I>
  static ESPALIER_INLINE void add_whole_tap(V* sums, T const* from, V weight, std::integer_sequence<int, I...>) {
    ((sums[I] = fma(load(from + std::int64_t{I} * columns::pixel_step * channels), weight, sums[I])), ...);
  }

  /// One column whose taps may be outside the image.
  template <int Phase>
  static ESPALIER_INLINE void column(T const* image, T const* factor, T* y, rows_in_reach const& reach, int i) {
    y += std::int64_t{i} * columns::phases * channels;
    for (int c = 0; c + lanes <= channels; c += lanes)
      column_of_channels<Phase>(image + c, factor + c, y + c, reach, i);
    if constexpr (constexpr int c = channels - lanes; channels % lanes != 0)
      column_of_channels<Phase>(image + c, factor + c, y + c, reach, i);
  }
  template <int Phase>
  static ESPALIER_INLINE void column_of_channels(T const* image, T const* factor, T* y, rows_in_reach const& reach,
                                                 int i) {
    V sum(T(0));
    for (int r = 0; r < reach.count; ++r) {
      T const *const from = image + reach.pixels[r], *const w = factor + std::int64_t{reach.tap[r]} * taps * channels;
      for (int k = 0; k < taps; ++k)
        if (columns::inside(Phase, k, i))
          sum = fma(load(from + std::int64_t{columns::pixel(Phase, k, i)} * channels),
                    load(w + std::int64_t{k} * channels), sum);
    }
    sum.template store_first<lanes>(y);
  }
};

/// y = windows of x times a factor for each position and channel, summed over the positions of all images.
/// x: (images, height, width, C); factor: (images, rows, columns, C); y: (kernel rows, kernel columns, C)
template <class T, Shape Image, Shape Window, class Map, class Arch>
struct position_sums : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  using columns = detail::tap_columns<facts>;
  using rows_in_reach = detail::rows_in_reach<T, facts>;
  using V = pack<T, Arch>;
  static_assert(columns::phases == 1);
  static constexpr int channels = facts::channels, taps = facts::kernel_columns;
  static constexpr int whole = channels / V::size, rest = channels % V::size;
  static constexpr int registers = whole + (rest != 0);  ///< for the channels of a pixel
  static constexpr bool unrolled = taps <= detail::most_unrolled_taps;
  static constexpr detail::column_blocks cut = detail::find_column_blocks<columns, 0>(8);

  static constexpr std::int64_t terms = std::int64_t{facts::images} * facts::rows * facts::columns *
                                        facts::kernel_rows * facts::kernel_columns * channels;
  static constexpr int parts = detail::parts_along(registers, terms);

  ESPALIER_KERNEL static void run(T const* x, T const* factor, T* y) {
    some(x, factor, y, facts::images, 0, registers);
  }
  /// Each part has its own channels.
  ESPALIER_KERNEL static void part(T const* x, T const* factor, T* y, T*, int which) {
    some(x, factor, y, facts::images, static_cast<int>(detail::part_begin(registers, parts, which)),
         static_cast<int>(detail::part_begin(registers, parts, which + 1)));
  }
  /// The channels of registers first ... last - 1, summed over `images` images.
  static ESPALIER_INLINE void some(T const* x, T const* factor, T* y, int images, int first, int last) {
    int const begin = first * V::size, end = last == registers ? channels : last * V::size;
    for (int t = 0; t < facts::kernel_rows * taps; ++t)
      detail::fill_run<T, Arch>(y + std::int64_t{t} * channels + begin, T(0), end - begin);
    for (int n = 0; n < images; ++n, x += facts::image)
      for (int i = 0; i < facts::rows; ++i, factor += std::int64_t{facts::columns} * channels)
        row(x, factor, y, rows_in_reach{i}, first, last);
  }

 private:
  template <int Lanes>
  static ESPALIER_INLINE V load(T const* from) {
    return V::template load_first<Lanes>(from);
  }
  template <int Lanes>
  static ESPALIER_INLINE void add_to(T* y, V sum) {
    (load<Lanes>(y) + sum).template store_first<Lanes>(y);
  }

  static ESPALIER_INLINE void row(T const* image, T const* factor, T* y, rows_in_reach const& reach, int first,
                                  int last) {
    constexpr int n = facts::columns;
    if constexpr (unrolled && cut.at_edges) {
      constexpr bool left = columns::first_whole(0) > 0, right = columns::last_whole(0) < n;
      constexpr int last_block = n - cut.last;
      if constexpr (cut.blocks == 1) {
        block<0, n, left || right>(image, factor, y, reach, first, last, 0);
      } else {
        if constexpr (left) block<0, cut.count, true>(image, factor, y, reach, first, last, 0);
        for (int i = left ? cut.count : 0; i < (right || cut.last != cut.count ? last_block : n); i += cut.count)
          block<0, cut.count, false>(image, factor, y, reach, first, last, i);
        if constexpr (right || cut.last != cut.count)
          block<last_block, cut.last, right>(image, factor, y, reach, first, last, last_block);
      }
    } else {
      constexpr int begin = columns::first_whole(0), end = columns::last_whole(0),
                    stop = begin + (end - begin) / cut.count * cut.count;
      for (int i = 0; i < begin; ++i) column(image, factor, y, reach, first, last, i);
      for (int i = begin; i < stop; i += cut.count) block<0, cut.count, false>(image, factor, y, reach, first, last, i);
      for (int i = stop; i < n; ++i) column(image, factor, y, reach, first, last, i);
    }
  }

  template <int First, int Count, bool Edge>
  static ESPALIER_INLINE void block(T const* image, T const* factor, T* y, rows_in_reach const& reach, int first,
                                    int last, int i) {
    if constexpr (!Edge) image += std::int64_t{i} * columns::pixel_step * channels;
    factor += std::int64_t{i} * channels;
    for (int c = first; c < (last < whole ? last : whole); ++c)
      block_of_channels<First, Count, Edge, V::size>(image + c * V::size, factor + c * V::size, y + c * V::size, reach);
    if constexpr (constexpr int c = whole * V::size; rest != 0)
      if (last == registers) block_of_channels<First, Count, Edge, rest>(image + c, factor + c, y + c, reach);
  }
  template <int First, int Count, bool Edge, int Lanes>
  static ESPALIER_INLINE void block_of_channels(T const* image, T const* factor, T* y, rows_in_reach const& reach) {
    if constexpr (detail::prefetches_pixels<T, facts>) {
      using next_columns = std::make_integer_sequence<int, Count>;
      using next_pixels = std::make_integer_sequence<int, Count * columns::pixel_step>;
      detail::prefetch_pixels<channels>(factor + std::int64_t{Count} * channels, next_columns{});
      if (reach.count > 0)
        detail::prefetch_pixels<channels>(
            image + reach.pixels[reach.count - 1] + std::int64_t{Count} * columns::pixel_step * channels,
            next_pixels{});
    }
    using all_columns = std::make_integer_sequence<int, Count>;
    V factors[static_cast<std::size_t>(Count)];
    load_columns<Lanes>(factors, factor, all_columns{});
    for (int r = 0; r < reach.count; ++r)
      add_taps<Edge ? First : 0, Edge, Lanes>(image + reach.pixels[r], factors,
                                              y + std::int64_t{reach.tap[r]} * taps * channels, all_columns{});
  }
  /// All taps of a row. Kernels of many columns are cut into pieces, whose sums are in registers.
  template <int First, bool Edge, int Lanes, int... I>
  static ESPALIER_INLINE void add_taps(T const* from, V const* factors, T* y, std::integer_sequence<int, I...> all) {
    constexpr int piece = unrolled ? taps : 8, others = taps % piece;
    for (int k = 0; k + piece <= taps; k += piece)
      add_block<First, Edge, Lanes>(from + std::int64_t{k} * facts::column_tap * channels, factors,
                                    y + std::int64_t{k} * channels, all, std::make_integer_sequence<int, piece>{});
    if constexpr (constexpr std::int64_t k = taps - others; others != 0)
      add_block<First, Edge, Lanes>(from + k * facts::column_tap * channels, factors, y + k * channels, all,
                                    std::make_integer_sequence<int, others>{});
  }
  template <int Lanes, int... I>
  static ESPALIER_INLINE void load_columns(V* factors, T const* from, std::integer_sequence<int, I...>) {
    ((factors[I] = load<Lanes>(from + std::int64_t{I} * channels)), ...);
  }
  template <int First, bool Edge, int Lanes, int... I, int... K>
  static ESPALIER_INLINE void add_block(T const* from, V const* factors, T* y, std::integer_sequence<int, I...>,
                                        std::integer_sequence<int, K...> all) {
    V sums[sizeof...(K)];
    ((sums[K] = V(T(0))), ...);
    (add_column<First + I, Edge, Lanes>(sums, from, factors[I], all), ...);
    (add_to<Lanes>(y + std::int64_t{K} * channels, sums[K]), ...);
  }
  template <int I, bool Edge, int Lanes, int... K>
  static ESPALIER_INLINE void add_column(V* sums, T const* from, V factor, std::integer_sequence<int, K...>) {
    (add_pixel<I, K, Edge, Lanes>(sums[K], from + std::int64_t{columns::pixel(0, K, I)} * channels, factor), ...);
  }
  template <int I, int K, bool Edge, int Lanes>
  static ESPALIER_INLINE void add_pixel(V& sum, T const* from, V factor) {
    if constexpr (!Edge || columns::inside(0, K, I)) sum = fma(load<Lanes>(from), factor, sum);
  }

  /// One column whose taps may be outside the image.
  static ESPALIER_INLINE void column(T const* image, T const* factor, T* y, rows_in_reach const& reach, int first,
                                     int last, int i) {
    factor += std::int64_t{i} * channels;
    for (int c = first; c < (last < whole ? last : whole); ++c)
      column_of_channels<V::size>(image + c * V::size, factor + c * V::size, y + c * V::size, reach, i);
    if constexpr (constexpr int c = whole * V::size; rest != 0)
      if (last == registers) column_of_channels<rest>(image + c, factor + c, y + c, reach, i);
  }
  template <int Lanes>
  static ESPALIER_INLINE void column_of_channels(T const* image, T const* factor, T* y, rows_in_reach const& reach,
                                                 int i) {
    V const own = load<Lanes>(factor);
    for (int r = 0; r < reach.count; ++r)
      for (int k = 0; k < taps; ++k)
        if (columns::inside(0, k, i))
          add_to<Lanes>(y + (std::int64_t{reach.tap[r]} * taps + k) * channels,
                        load<Lanes>(image + reach.pixels[r] + std::int64_t{columns::pixel(0, k, i)} * channels) * own);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"

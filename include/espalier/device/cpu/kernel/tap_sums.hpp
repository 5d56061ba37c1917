// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "windows.hpp"

/// Convolutions of few channels per group: sums of windows of images times a factor, channel by channel. The images are
/// read in place: neither windows nor products are stored, and padding is not copied. If a group has several channels,
/// each result is a sum over all of them: a register of pixels is spread once for each.
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

/// Pixels whose lanes are whole groups of Each channels, with channel I of each group in all its lanes.
template <int Each, int I, class V, int... Lane>
ESPALIER_INLINE V spread_lanes(V x, indices<Lane...>) {
  return __builtin_shufflevector(x.lanes(), x.lanes(), (Lane / Each * Each + I)...);
}
template <int Each, int I, class V>
ESPALIER_INLINE V spread(V x) {
  if constexpr (Each == 1) return x;
  else return spread_lanes<Each, I>(x, indices_below<V::size>{});
}
/// Whether a group fills its registers, so that all lanes of one get the same number.
template <int Each, class V>
inline constexpr bool fills_registers = Each % V::size == 0;
/// The channels that a register of results reads, from channel c on, begin here.
template <int Each, class V>
constexpr int first_channel(int c) {
  return fills_registers<Each, V> ? c / Each * Each : c;
}

/// The pixels that columns First ... First + Count - 1 of a phase read with the first Taps taps, in ascending order,
/// and who reads them. Edge: taps may be outside the image.
template <class Columns, int First, int Count, int Taps, bool Edge, int Phase = 0>
struct tap_pixels {
  static constexpr int taps = Taps, columns = Count;
  static constexpr std::size_t most = static_cast<std::size_t>(Count * Taps) + 1;
  struct list {
    int at[most],
        column[most][static_cast<std::size_t>(Taps)];  ///< column[p][tap]: that reads pixel p with a tap, or -1
    bool first[most][static_cast<std::size_t>(Taps)];  ///< whether that column reads no pixel before
    int count;
  };
  /// The column, counted from First, that reads a pixel with a tap, or -1.
  static constexpr int column_at(int pixel, int tap) {
    for (int i = 0; i < Count; ++i)
      if (Columns::pixel(Phase, tap, First + i) == pixel && Columns::reads(Phase, tap)) {
        if constexpr (Edge) return Columns::inside(Phase, tap, First + i) ? i : -1;
        return i;
      }
    return -1;
  }
  static constexpr list all = [] {
    list found{};
    int low = Columns::pixel(Phase, 0, First), high = low;
    for (int tap : {0, Taps - 1})
      for (int i : {First, First + Count - 1}) {
        int const at = Columns::pixel(Phase, tap, i);
        low = at < low ? at : low;
        high = at > high ? at : high;
      }
    bool seen[static_cast<std::size_t>(Count)] = {};
    for (int at = low; at <= high; ++at) {
      bool any = false;
      for (int tap = 0; tap < Taps; ++tap) {
        int const column = column_at(at, tap);
        found.column[found.count][tap] = column;
        if (column < 0) continue;
        found.first[found.count][tap] = !seen[column];
        seen[column] = any = true;
      }
      if (any) found.at[found.count++] = at;
    }
    return found;
  }();
};

/// The factors that multiply one pixel, and the sums that they belong to. `first` are the factors that no pixel before
/// it needs.
template <class Lines, class Pixels, int Line, int P>
struct pixel_readers {
  struct reader {
    int row, column, factor, sum;
  };
  struct list {
    reader at[static_cast<std::size_t>(Lines::taps * Pixels::taps)];
    int first[static_cast<std::size_t>(Lines::taps * Pixels::taps)];
    int count, count_first;
  };
  static constexpr list all = [] {
    list found{};
    for (int r = 0; r < Lines::taps; ++r)
      for (int k = 0; k < Pixels::taps; ++k) {
        int const row = Lines::all.column[Line][r], column = Pixels::all.column[P][k];
        if (row < 0 || column < 0) continue;
        if (Lines::all.first[Line][r] && Pixels::all.first[P][k]) found.first[found.count_first++] = found.count;
        found.at[found.count++] = {row, column, row * Pixels::columns + column, r * Pixels::taps + k};
      }
    return found;
  }();
  using each = std::make_integer_sequence<int, all.count>;
  using each_first = std::make_integer_sequence<int, all.count_first>;
  static constexpr reader first(int i) { return all.at[all.first[i]]; }
};

/// Rows of factors as tap_pixels counts them: taps of a kernel column, and rows of pixels from the first tap's on.
template <class Facts>
struct tap_rows {
  static constexpr bool reads(int, int) { return true; }
  static constexpr int pixel(int, int tap, int i) { return i * Facts::row_step + tap * Facts::row_tap; }
};

/// The rows of an image, and of the kernel, that one row of results reads.
template <class T, class Facts>
struct rows_in_reach {
  std::int64_t pixels[static_cast<std::size_t>(Facts::kernel_rows)]{};  ///< offset of the row in the image
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

/// In how many sets of a cache lines lie that are so many bytes apart, if it has 64 of them, as L1 caches have.
constexpr int cache_sets(std::int64_t bytes) {
  return 64 / greatest_common_divisor(static_cast<int>((bytes + 63) / 64 % 64), 64);
}

/// Images that no cache near a core holds, in bytes. For these, what the next row of results needs is prefetched in the
/// order of memory, a part with each block of this one: a block reads a register of each of its pixels in turn, which
/// are more streams than hardware prefetchers follow.
inline constexpr std::int64_t bytes_beyond_caches = std::int64_t{4} << 20;
template <class T, class Facts>
inline constexpr bool prefetches_pixels =
    Facts::images* Facts::image* static_cast<std::int64_t>(sizeof(T)) > bytes_beyond_caches;
/// `Elements` elements that are prefetched by `Calls` calls.
template <class T, std::int64_t Elements, std::int64_t Calls, int Write = 0>
struct elements_ahead {
  static constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
  static constexpr int lines = static_cast<int>((Elements + line * Calls - 1) / (line * Calls));
  T const* next;

  ESPALIER_INLINE void prefetch() { some(std::make_integer_sequence<int, lines>{}); }

 private:
  template <int... I>
  ESPALIER_INLINE void some(std::integer_sequence<int, I...>) {
    (__builtin_prefetch(next + I * line, Write, 2), ...);
    next += lines * line;
  }
};

/// The rows of an image that one row of results reads, and what the next one needs: pixels, and elements of its own
/// (results that are written, or factors that are read), `Own` ones for each column. Blocks: of a row, whose calls
/// divide the prefetching.
template <class T, class Facts, std::int64_t Blocks, int Write, int Own = Facts::channels>
struct rows_and_next : rows_in_reach<T, Facts> {
  static constexpr std::int64_t pixel_row = std::int64_t{Facts::width} * Facts::channels,
                                new_rows =
                                    Facts::row_step > Facts::row_divisor ? Facts::row_step / Facts::row_divisor : 1;
  elements_ahead<T, new_rows * pixel_row, Blocks> next_pixels;
  elements_ahead<T, std::int64_t{Facts::columns} * Own, Blocks, Write> next_own;

  /// own: the row of results or factors. rows: that are computed together.
  ESPALIER_INLINE rows_and_next(int row, T const* image, T const* own, int rows = 1)
      : rows_in_reach<T, Facts>(row),
        next_pixels{image + (this->count > 0 ? this->pixels[this->count - 1] + pixel_row : 0) +
                    (rows - 1) * new_rows * pixel_row},
        next_own{own + std::int64_t{rows} * Facts::columns * Own} {}
  ESPALIER_INLINE void prefetch() {
    if constexpr (prefetches_pixels<T, Facts>) {
      next_pixels.prefetch();
      next_own.prefetch();
    }
  }
};

/// Whether the taps of a row, and the channels of a group, are multiplied without a loop: more would be too much code.
constexpr bool unrolls_taps(int taps, int each) { return taps <= 12 && (each == 1 || taps * each <= 40); }

}  // namespace detail

/// y = windows of x times a factor for each tap and channel, summed over the taps and over the channels of each group.
/// x: (images, height, width, C); factor: (kernel rows, kernel columns, Each, C); y: (images, rows, columns, C).
/// Each: channels of a group, of which registers have whole ones, or a group whole registers. Or all results are sums
/// over all channels of a pixel, which are Each; then there are Results ones, not C. Weight: half or bfloat16 for
/// factors that are widened as they are packed.
template <class T, Shape Image, Shape Window, class Map, class Arch, int Each = 1, int Results = Window::value.at[5],
          class Weight = T>
struct tap_sums : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  using columns = detail::tap_columns<facts>;
  using V = pack<T, Arch>;
  static constexpr int pixel = facts::channels, channels = Results, taps = facts::kernel_columns;
  /// Whether all lanes of a register of results read the same channels.
  static constexpr bool spreads_one = detail::fills_registers<Each, V> || (Each == pixel && Results != pixel);
  static_assert(spreads_one || (Results == pixel && V::size % Each == 0));
  /// Results of a register. Behind the last whole register of a pixel, one that overlaps it has the others.
  static constexpr int lanes = channels < V::size ? channels : V::size, registers = (channels + lanes - 1) / lanes;
  static constexpr int result_of(int r) { return r * lanes + lanes <= channels ? r * lanes : channels - lanes; }
  /// Whether the factors of one register of results after the other are packed for the rows of a band.
  /// Those of many channels are far apart, for which caches have few sets, so the L1 cache would not hold them.
  static constexpr std::int64_t factors = std::int64_t{facts::kernel_rows} * taps * Each;
  static constexpr bool can_pack =
                            factors * V::size * static_cast<std::int64_t>(sizeof(T)) <= 48 * 1024 && lanes == V::size,
                        packs = can_pack &&
                                (!std::is_same_v<T, Weight> ||
                                 (registers > 1 &&
                                  factors > 8 * detail::cache_sets(channels * static_cast<std::int64_t>(sizeof(T)))));
  static_assert(packs || std::is_same_v<T, Weight>);
  static constexpr int factor_step = packs ? V::size : channels;
  static constexpr std::int64_t factor_row = std::int64_t{taps} * Each * factor_step;
  /// Rows of results that are computed one after the other, so that they stay in the L2 cache between registers.
  static constexpr std::int64_t band = [] {
    std::int64_t const fit =
        256 * 1024 / (std::int64_t{facts::columns} * channels * static_cast<std::int64_t>(sizeof(T)));
    return !packs || fit < 1 ? 1 : fit;
  }();
  static constexpr bool unrolled = detail::unrolls_taps(taps, spreads_one ? 1 : Each);
  /// Columns whose sums are in registers. The channels of large groups are added one after the other, which takes more
  /// sums that do not wait for each other; the factors of all taps are beside them.
  static constexpr int most_columns = [] {
    int const registers = detail::register_count<Arch>, left = registers - taps - 2, fit = left < 2 ? 2 : left;
    return (Each < 8 && Results == pixel) || !unrolled ? (registers == 32 ? 8 : 6) : fit < 16 ? fit : 16;
  }();
  /// Of the first phase.
  static constexpr detail::column_blocks blocks = detail::find_column_blocks<columns, 0>(most_columns);
  using rows_in_reach =
      detail::rows_and_next<T, facts, std::int64_t{(facts::columns + most_columns - 1) / most_columns} * registers, 1,
                            channels>;

  /// And the registers of results.
  struct rows_of_registers : rows_in_reach {
    int first, last;
    ESPALIER_INLINE rows_of_registers(int row, T const* image, T const* own, int from, int to)
        : rows_in_reach(row, image, own), first{from}, last{to} {}
  };

  static constexpr std::int64_t result_rows = std::int64_t{facts::images} * facts::rows;
  static constexpr int parts = detail::parts_along(
      result_rows, result_rows* facts::columns* facts::kernel_rows* facts::kernel_columns* channels* Each);

  static constexpr std::int64_t room_size = packs ? room_for<T>(factors * V::size) : 0;

  ESPALIER_KERNEL static void run(T const* x, Weight const* factor, T* y) {
    room_on_stack<T, room_size> own;
    some(own, x, factor, y, 0, result_rows);
  }
  ESPALIER_KERNEL static void run(room<T> own, T const* x, Weight const* factor, T* y) {
    some(own, x, factor, y, 0, result_rows);
  }
  ESPALIER_KERNEL static void part(room<T> own, T const* x, Weight const* factor, T* y, T*, int which) {
    some(own, x, factor, y, detail::part_begin(result_rows, parts, which),
         detail::part_begin(result_rows, parts, which + 1));
  }
  /// Rows first ... last - 1 of the results of all images.
  static ESPALIER_INLINE void some([[maybe_unused]] room<T> own, T const* x, Weight const* factor, T* y,
                                   std::int64_t first, std::int64_t last) {
    if constexpr (packs) {
      T* const packed = own.at;
      for (; first < last; first += band)
        for (int r = 0; r < registers; ++r) {
          detail::copy_rows<T, Arch>(packed, V::size, factor + result_of(r), channels, factors, V::size);
          rows(x, packed, y, first, first + band < last ? first + band : last, r, r + 1);
        }
    } else {
      rows(x, factor, y, first, last, 0, registers);
    }
  }

 private:
  /// The results of registers from ... to - 1.
  static ESPALIER_INLINE void rows(T const* x, T const* factor, T* y, std::int64_t first, std::int64_t last, int from,
                                   int to) {
    for (std::int64_t i = first; i < last; ++i) {
      T const* const image = x + i / facts::rows * facts::image;
      T* const line = y + i * facts::columns * channels;
      rows_of_registers reach(static_cast<int>(i % facts::rows), image, line, from, to);
      row(image, factor, line, reach, std::make_integer_sequence<int, columns::phases>{});
    }
  }

  static ESPALIER_INLINE V load(T const* from) { return V::template load_first<lanes>(from); }
  /// The channels and the factors of register r begin here.
  static constexpr int first_channel(int r) {
    return Results != pixel ? 0 : detail::first_channel<Each, V>(result_of(r));
  }
  static constexpr int first_factor(int r) { return packs ? 0 : result_of(r); }
  template <int Channel>
  static ESPALIER_INLINE V load_spread(T const* from) {
    if constexpr (spreads_one) return V(from[Channel]);
    else return detail::spread<Each, Channel>(load(from));
  }

  template <int... Phase>
  static ESPALIER_INLINE void row(T const* image, T const* factor, T* y, rows_of_registers& reach,
                                  std::integer_sequence<int, Phase...>) {
    (phase<Phase>(image, factor, y + std::int64_t{Phase} * channels, reach), ...);
  }
  template <int Phase>
  static ESPALIER_INLINE void phase(T const* image, T const* factor, T* y, rows_of_registers& reach) {
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
  static ESPALIER_INLINE void block(T const* image, T const* factor, T* y, rows_of_registers& reach, int i) {
    if constexpr (!Edge) image += std::int64_t{i} * columns::pixel_step * pixel;
    y += std::int64_t{i} * columns::phases * channels;
    for (int r = reach.first; r < reach.last; ++r)
      block_of_channels<Phase, First, Count, Edge>(image + first_channel(r), factor + first_factor(r), y + result_of(r),
                                                   reach);
  }
  template <int Phase, int First, int Count, bool Edge>
  static ESPALIER_INLINE void block_of_channels(T const* image, T const* factor, T* y, rows_of_registers& reach) {
    using all_taps = std::make_integer_sequence<int, unrolled ? taps : 0>;
    using all_columns = std::make_integer_sequence<int, Count>;
    using all_channels = std::make_integer_sequence<int, Each>;
    if constexpr (!packs) reach.prefetch();
    V sums[static_cast<std::size_t>(Count)];
    clear(sums, all_columns{});
    for (int r = 0; r < reach.count; ++r) {
      T const *const from = image + reach.pixels[r], *const w = factor + reach.tap[r] * factor_row;
      if constexpr (unrolled && (Each > 1 || spreads_one)) {
        add_groups<detail::tap_pixels<columns, Edge ? First : 0, Count, taps, Edge, Phase>>(sums, from, w, all_taps{},
                                                                                            all_channels{});
      } else if constexpr (unrolled) {
        add_taps<Phase, Edge ? First : 0, Edge>(sums, from, w, all_columns{}, all_taps{});
      } else {
        for (int k = 0; k < taps; ++k)
          if (columns::reads(Phase, k))
            add_whole_tap(sums, from + std::int64_t{columns::pixel(Phase, k, 0)} * pixel,
                          w + std::int64_t{k} * Each * factor_step, all_columns{}, all_channels{});
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
      V const weight = load(w + std::int64_t{K} * factor_step);
      (add_pixel<Phase, K, First + I, Edge>(sums[I], from + std::int64_t{columns::pixel(Phase, K, First + I)} * pixel,
                                            weight),
       ...);
    }
  }
  template <int Phase, int K, int I, bool Edge>
  static ESPALIER_INLINE void add_pixel(V& sum, T const* from, V weight) {
    if constexpr (!Edge || columns::inside(Phase, K, I)) sum = fma(load(from), weight, sum);
  }
  template <class All, int... Channel>
  static ESPALIER_INLINE void add_whole_tap(V* sums, T const* from, T const* w, All all,
                                            std::integer_sequence<int, Channel...>) {
    (add_whole_columns<Channel>(sums, from, load(w + std::int64_t{Channel} * factor_step), all), ...);
  }
  template <int Channel, int... I>
  static ESPALIER_INLINE void add_whole_columns(V* sums, T const* from, V weight, std::integer_sequence<int, I...>) {
    ((sums[I] = fma(load_spread<Channel>(from + std::int64_t{I} * columns::pixel_step * pixel), weight, sums[I])), ...);
  }

  /// Groups of several channels: each channel is spread once for each pixel, for all taps that read it.
  template <class Pixels, class Taps, int... Channel>
  static ESPALIER_INLINE void add_groups(V* sums, T const* from, T const* w, Taps all,
                                         std::integer_sequence<int, Channel...>) {
    constexpr auto pixels = std::make_integer_sequence<int, Pixels::all.count>{};
    if constexpr (spreads_one)
      for (int i = 0; i < Each; ++i)
        add_channel<Pixels, 0>(sums, from + i, w + std::int64_t{i} * factor_step, all, pixels);
    else (add_channel<Pixels, Channel>(sums, from, w + std::int64_t{Channel} * factor_step, all, pixels), ...);
  }
  template <class Pixels, int Channel, int... K, int... P>
  static ESPALIER_INLINE void add_channel([[maybe_unused]] V* sums, [[maybe_unused]] T const* from, T const* w,
                                          [[maybe_unused]] std::integer_sequence<int, K...> all,
                                          std::integer_sequence<int, P...>) {
    V const weights[] = {load(w + std::int64_t{K} * Each * factor_step)...};
    (add_readers<Pixels, P>(sums, load_spread<Channel>(from + std::int64_t{Pixels::all.at[P]} * pixel), weights, all),
     ...);
  }
  template <class Pixels, int P, int... K>
  static ESPALIER_INLINE void add_readers(V* sums, V pixel, V const* weights, std::integer_sequence<int, K...>) {
    (add_reader<Pixels::all.column[P][K], K>(sums, pixel, weights), ...);
  }
  template <int Column, int K>
  static ESPALIER_INLINE void add_reader(V* sums, V pixel, V const* weights) {
    if constexpr (Column >= 0) sums[Column] = fma(pixel, weights[K], sums[Column]);
  }

  /// One column whose taps may be outside the image.
  template <int Phase>
  static ESPALIER_INLINE void column(T const* image, T const* factor, T* y, rows_of_registers& reach, int i) {
    y += std::int64_t{i} * columns::phases * channels;
    for (int r = reach.first; r < reach.last; ++r)
      column_of_channels<Phase>(image + first_channel(r), factor + first_factor(r), y + result_of(r), reach, i);
  }
  template <int Phase>
  static ESPALIER_INLINE void column_of_channels(T const* image, T const* factor, T* y, rows_of_registers& reach,
                                                 int i) {
    V sum(T(0));
    for (int r = 0; r < reach.count; ++r) {
      T const *const from = image + reach.pixels[r], *const w = factor + reach.tap[r] * factor_row;
      for (int k = 0; k < taps; ++k)
        if (columns::inside(Phase, k, i))
          add_whole_tap(&sum, from + std::int64_t{columns::pixel(Phase, k, i)} * pixel,
                        w + std::int64_t{k} * Each * factor_step, std::integer_sequence<int, 0>{},
                        std::make_integer_sequence<int, Each>{});
    }
    sum.template store_first<lanes>(y);
  }
};

/// y = windows of x times a factor for each position and channel, summed over the positions of all images; for each
/// channel of the group.
/// x: (images, height, width, C); factor: (images, rows, columns, C); y: (kernel rows, kernel columns, Each, C)
template <class T, Shape Image, Shape Window, class Map, class Arch, int Each = 1>
struct position_sums : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  using columns = detail::tap_columns<facts>;
  using V = pack<T, Arch>;
  static_assert(columns::phases == 1 && V::size % Each == 0);
  static constexpr int channels = facts::channels, taps = facts::kernel_columns;
  static constexpr int whole = channels / V::size, rest = channels % V::size;
  static constexpr int registers = whole + (rest != 0);  ///< for the channels of a pixel
  /// Channels of a group that are summed at once.
  static constexpr int together = Each < 8 ? Each : 8;
  static constexpr bool unrolled = detail::unrolls_taps(taps, together);
  /// Kernel rows whose sums, and the pixels that they share, are in registers together: each pixel is loaded once for
  /// all taps of its row. With one load for each product, loads would be what takes the time.
  static constexpr int rows_together = [] {
    int const fit = (detail::register_count<Arch> - 2 - taps) / (taps * together),
              most = facts::kernel_rows < 3 ? facts::kernel_rows : 3;
    return !unrolled || fit < 1 ? 1 : fit < most ? fit : most;
  }();
  /// As many columns as make 150 products, at most 16. Between blocks all sums are in memory: if groups fill the
  /// registers with the sums of one kernel row, these are many, and a block has up to 350 products.
  static constexpr detail::column_blocks cut = [] {
    constexpr int products = rows_together * (unrolled ? taps * together : 8),
                  most = (Each > 1 && rows_together == 1 ? 350 : 150) / products;
    return detail::find_column_blocks<columns, 0>(most > 16 ? 16 : most < 4 ? 4 : most);
  }();
  using rows_in_reach = detail::rows_and_next<T, facts, std::int64_t{cut.blocks} * registers, 0>;

  static constexpr std::int64_t all_sums = std::int64_t{facts::kernel_rows} * taps * Each,
                                of_pixels = std::int64_t{facts::height} * facts::width,
                                of_factors = std::int64_t{facts::rows} * facts::columns;
  /// Whether the channels of some registers of an image are packed, register by register, beside their sums, on the
  /// stack. Pixels and sums of many channels are far apart, for which caches have few sets, so the L1 cache would hold
  /// few in place. Several registers are packed from one reading of memory, and their sums stay for all images.
  static constexpr std::int64_t packed_bytes =
      (of_pixels + of_factors + all_sums) * static_cast<std::int64_t>(V::size * sizeof(T));
  static constexpr int packed_registers = [] {
    std::int64_t const fit = 192 * 1024 / packed_bytes, most = registers < 4 ? registers : 4;
    return static_cast<int>(fit < most ? fit : most);
  }();
  static constexpr bool packs = channels > V::size&& all_sums* channels * sizeof(T) > 40 * 1024 && packed_registers > 0;
  using of_register =
      position_sums<T, shape<1, facts::height, facts::width, V::size>,
                    shape<1, facts::rows, facts::columns, facts::kernel_rows, facts::kernel_columns, V::size>, Map,
                    Arch, Each>;

  static constexpr std::int64_t terms = std::int64_t{facts::images} * facts::rows * facts::columns *
                                        facts::kernel_rows * facts::kernel_columns * channels * Each;
  static constexpr int parts = detail::parts_along(registers, terms);

  /// Sums over many positions are added in blocks of rows (see cascade.hpp); their levels take at most 128 KiB.
  static constexpr int turns_of_row = (facts::columns + cut.count - 1) / cut.count;
  static constexpr std::int64_t level_size = packs ? packed_registers * all_sums * V::size : all_sums * channels;
  static constexpr int levels = [] {
    int const wanted =
        detail::count_levels(std::int64_t{facts::images} * facts::rows * turns_of_row / detail::terms_of_block);
    std::int64_t const fit = 128 * 1024 / (level_size * std::int64_t{sizeof(T)});
    return fit < wanted ? static_cast<int>(fit) : wanted;
  }();
  static constexpr std::int64_t size_of_values = room_for<T>(packed_registers * (of_pixels + of_factors) * V::size),
                                at_levels =
                                    packs ? size_of_values + room_for<T>(packed_registers * all_sums * V::size) : 0,
                                room_size = at_levels + room_for<T>(levels * level_size);

  /// The levels of the sums of some channels, which begin at `at`, and the turns of the block.
  template <int Levels>
  struct sums_of_levels {
    T* at;
    std::int64_t size;  ///< of a level
    int turns = 0;
    std::int64_t block = 0;

    static void move_rows(T* to, T* from, std::int64_t width) {
      for (int t = 0; t < all_sums; ++t, to += channels, from += channels) {
        detail::add_run<T, Arch>(to, from, width);
        detail::fill_run<T, Arch>(from, T(0), width);
      }
    }
    /// begin, width: the channels.
    ESPALIER_INLINE auto move(T* y, int begin, int width) const {
      return [=, this](int to, int from) {
        move_rows((to == 0 ? y : at + (to - 1) * size) + begin, (from == 0 ? y : at + (from - 1) * size) + begin,
                  width);
      };
    }
    ESPALIER_INLINE void end_rows(T* y, int begin, int width, int rows) {
      if constexpr (Levels > 0) {
        turns += rows * turns_of_row;
        if (turns < detail::terms_of_block) return;
        turns = 0;
        detail::carry_block<Levels>(block++, move(y, begin, width));
      }
    }
    ESPALIER_INLINE void gather(T* y, int begin, int width) const {
      if constexpr (Levels > 0) detail::gather_levels<Levels>(move(y, begin, width));
    }
  };

  ESPALIER_KERNEL static void run(T const* x, T const* factor, T* y) {
    room_on_stack<T, room_size> own;
    some(own, x, factor, y, facts::images, 0, registers);
  }
  ESPALIER_KERNEL static void run(room<T> own, T const* x, T const* factor, T* y) {
    some(own, x, factor, y, facts::images, 0, registers);
  }
  /// Each part has its own channels.
  ESPALIER_KERNEL static void part(room<T> own, T const* x, T const* factor, T* y, T*, int which) {
    some(own, x, factor, y, facts::images, static_cast<int>(detail::part_begin(registers, parts, which)),
         static_cast<int>(detail::part_begin(registers, parts, which + 1)));
  }
  /// The channels of registers first ... last - 1, summed over `images` images.
  static ESPALIER_INLINE void some([[maybe_unused]] room<T> own, T const* x, T const* factor, T* y, int images,
                                   int first, int last) {
    if constexpr (packs) {
      for (int c = first; c < last; c += packed_registers)
        packed(own, x, factor, y, images, c, last - c < packed_registers ? last - c : packed_registers);
    } else {
      int const begin = first * V::size, end = last == registers ? channels : last * V::size;
      for (int t = 0; t < all_sums; ++t)
        detail::fill_run<T, Arch>(y + std::int64_t{t} * channels + begin, T(0), end - begin);
      detail::fill_run<T, Arch>(own.at, T(0), levels * level_size);
      sums_of_levels<levels> above{own.at, level_size};
      add(x, factor, y, images, first, last, above);
      above.gather(y, begin, end - begin);
    }
  }
  /// Adds them to y.
  template <class Higher>
  static ESPALIER_INLINE void add(T const* x, T const* factor, T* y, int images, int first, int last, Higher& above) {
    int const begin = first * V::size, width = (last == registers ? channels : last * V::size) - begin;
    for (int n = 0; n < images; ++n, x += facts::image, factor += std::int64_t{facts::rows} * factor_row) {
      int i = 0;
      if constexpr (pairs) {
        for (; i < first_whole_row; ++i, above.end_rows(y, begin, width, 1)) rows_from<1>(x, factor, y, i, first, last);
        for (; i + 2 <= last_whole_row; i += 2, above.end_rows(y, begin, width, 2))
          rows_from<2>(x, factor, y, i, first, last);
      }
      for (; i < facts::rows; ++i, above.end_rows(y, begin, width, 1)) rows_from<1>(x, factor, y, i, first, last);
    }
  }

 private:
  /// Some registers of channels from `first` on, at most packed_registers.
  static ESPALIER_INLINE void packed(room<T> own, T const* x, T const* factor, T* y, int images, int first, int some) {
    constexpr std::int64_t both = of_pixels + of_factors;
    T *const values = own.at, *const sums = own.at + size_of_values;
    int const begin = first * V::size, width = channels - begin < some * V::size ? channels - begin : some * V::size;
    if (rest != 0 && width < some * V::size) detail::fill_run<T, Arch>(values, T(0), some * both * V::size);
    detail::fill_run<T, Arch>(sums, T(0), some * all_sums * V::size);
    using of_levels = typename of_register::template sums_of_levels<levels>;
    T* const above = own.at + at_levels;
    detail::fill_run<T, Arch>(above, T(0), levels * level_size);
    of_levels levels_of[static_cast<std::size_t>(packed_registers)];
    for (int r = 0; r < some; ++r) levels_of[r] = of_levels{above + r * all_sums * V::size, level_size};
    for (int n = 0; n < images; ++n, x += facts::image, factor += of_factors * channels) {
      pack_registers(values, x + begin, of_pixels, width);
      pack_registers(values + of_pixels * V::size, factor + begin, of_factors, width);
      for (int r = 0; r < some; ++r)
        of_register::add(values + r * both * V::size, values + (r * both + of_pixels) * V::size,
                         sums + r * all_sums * V::size, 1, 0, 1, levels_of[r]);
    }
    for (int r = 0; r < some; ++r) levels_of[r].gather(sums + r * all_sums * V::size, 0, V::size);
    for (int r = 0; r < some; ++r)
      detail::copy_rows<T, Arch>(y + begin + r * V::size, channels, sums + r * all_sums * V::size, V::size, all_sums,
                                 width - r * V::size < V::size ? width - r * V::size : V::size);
  }
  /// Registers of `width` channels of each pixel. A register of all pixels and factors is adjacent.
  static ESPALIER_IN_KERNEL void pack_registers(T* to, T const* from, std::int64_t pixels, int width) {
    for (std::int64_t i = 0; i < pixels; ++i, to += V::size, from += channels)
      for (int j = 0; j < width; j += V::size) {
        T* const at = to + j * (of_pixels + of_factors);
        if (j + V::size <= width) V::load(from + j).store(at);
        else
          for (int k = 0; k < width - j; ++k) at[k] = from[j + k];
      }
  }
  static constexpr std::int64_t pixel_row = std::int64_t{facts::width} * channels,
                                factor_row = std::int64_t{facts::columns} * channels;
  /// Rows first_whole_row ... last_whole_row - 1 read all their pixels inside the image.
  static constexpr bool whole_row(int i) {
    int const low = facts::row_start + i * facts::row_step + detail::lowest_of(facts::kernel_rows, facts::row_tap),
              way = (facts::kernel_rows - 1) * (facts::row_tap < 0 ? -facts::row_tap : facts::row_tap);
    return low >= 0 && low + way < facts::height;
  }
  static constexpr int first_whole_row = [] {
    int i = 0;
    while (i < facts::rows && !whole_row(i)) ++i;
    return i;
  }();
  static constexpr int last_whole_row = [] {
    int i = facts::rows;
    while (i > first_whole_row && !whole_row(i - 1)) --i;
    return i;
  }();
  /// Whether two rows of factors are multiplied together. They share pixels and sums, so that less comes from the L2
  /// cache, which takes the time otherwise.
  static constexpr bool pairs = facts::row_divisor == 1 && rows_together == facts::kernel_rows &&
                                (rows_together * together + 2) * taps + 2 <= detail::register_count<Arch> &&
                                last_whole_row - first_whole_row >= 2;

  template <int Lanes>
  static ESPALIER_INLINE V load(T const* from) {
    return V::template load_once<Lanes>(from);
  }
  template <int Lanes>
  static ESPALIER_INLINE void add_to(T* y, V sum) {
    (V::template load_first<Lanes>(y) + sum).template store_first<Lanes>(y);
  }

  /// `Factors` rows from `number` on.
  template <int Factors>
  static ESPALIER_INLINE void rows_from(T const* image, T const* factor, T* y, int number, int first, int last) {
    factor += number * factor_row;
    rows_in_reach reach(number, image, factor, Factors);
    constexpr int n = facts::columns;
    if constexpr (unrolled && cut.at_edges) {
      constexpr bool left = columns::first_whole(0) > 0, right = columns::last_whole(0) < n;
      constexpr int last_block = n - cut.last;
      if constexpr (cut.blocks == 1) {
        block<Factors, 0, n, left || right>(image, factor, y, reach, first, last, 0);
      } else {
        if constexpr (left) block<Factors, 0, cut.count, true>(image, factor, y, reach, first, last, 0);
        for (int i = left ? cut.count : 0; i < (right || cut.last != cut.count ? last_block : n); i += cut.count)
          block<Factors, 0, cut.count, false>(image, factor, y, reach, first, last, i);
        if constexpr (right || cut.last != cut.count)
          block<Factors, last_block, cut.last, right>(image, factor, y, reach, first, last, last_block);
      }
    } else {
      constexpr int begin = columns::first_whole(0), end = columns::last_whole(0),
                    stop = begin + (end - begin) / cut.count * cut.count;
      for (int i = 0; i < begin; ++i) column<Factors>(image, factor, y, reach, first, last, i);
      for (int i = begin; i < stop; i += cut.count)
        block<Factors, 0, cut.count, false>(image, factor, y, reach, first, last, i);
      for (int i = stop; i < n; ++i) column<Factors>(image, factor, y, reach, first, last, i);
    }
  }

  /// A function of its own: run and part share it, and compilers take more than twice as long for twice as much.
  template <int Factors, int First, int Count, bool Edge>
  ESPALIER_KERNEL static void block(T const* image, T const* factor, T* y, rows_in_reach& reach, int first, int last,
                                    int i) {
    if constexpr (!Edge) image += std::int64_t{i} * columns::pixel_step * channels;
    factor += std::int64_t{i} * channels;
    for (int c = first; c < (last < whole ? last : whole); ++c)
      block_of_channels<Factors, First, Count, Edge, V::size>(image + detail::first_channel<Each, V>(c * V::size),
                                                              factor + c * V::size, y + c * V::size, reach);
    if constexpr (constexpr int c = whole * V::size; rest != 0)
      if (last == registers) block_of_channels<Factors, First, Count, Edge, rest>(image + c, factor + c, y + c, reach);
  }
  template <int Factors, int First, int Count, bool Edge, int Lanes>
  static ESPALIER_IN_KERNEL void block_of_channels(T const* image, T const* factor, T* y, rows_in_reach& reach) {
    for (int i = 0; i < Factors; ++i) reach.prefetch();
    if constexpr (Factors > 1)
      add_taps<Factors, facts::kernel_rows, Edge ? First : 0, Count, Edge, Lanes>(image, factor, y, reach, 0);
    else add_rows<First, Count, Edge, Lanes>(image, factor, y, reach);
  }
  /// The kernel rows of one row of factors, rows_together at a time and the others one by one.
  template <int First, int Count, bool Edge, int Lanes>
  static ESPALIER_IN_KERNEL void add_rows(T const* image, T const* factor, T* y, rows_in_reach& reach) {
    int r = 0;
    if constexpr (rows_together > 1 && !pairs)
      for (; r + rows_together <= reach.count; r += rows_together)
        add_taps<1, rows_together, Edge ? First : 0, Count, Edge, Lanes>(image, factor, y, reach, r);
    for (; r < reach.count; ++r) add_taps<1, 1, Edge ? First : 0, Count, Edge, Lanes>(image, factor, y, reach, r);
  }
  /// All taps of Rows kernel rows. Rows of many taps are cut into pieces, whose sums are in registers.
  template <int Factors, int Rows, int First, int Count, bool Edge, int Lanes>
  static ESPALIER_IN_KERNEL void add_taps(T const* image, T const* factor, T* y, rows_in_reach& reach, int r) {
    using lines = detail::tap_pixels<detail::tap_rows<facts>, 0, Factors, Rows, false>;
    constexpr int piece = unrolled ? taps : 8 / together, others = taps % piece;
    T const* from[static_cast<std::size_t>(lines::all.count)];
    T* to[static_cast<std::size_t>(Rows)];
    for (int i = 0; i < lines::all.count; ++i)
      from[i] = image + (Factors > 1 ? reach.pixels[0] + lines::all.at[i] * pixel_row : reach.pixels[r + i]);
    for (int i = 0; i < Rows; ++i) to[i] = y + std::int64_t{reach.tap[r + i]} * taps * Each * channels;
    for (int channel = 0; channel < Each; channel += together) {
      for (int k = 0; k + piece <= taps; k += piece)
        add_block<lines, detail::tap_pixels<columns, First, Count, piece, Edge>, Lanes>(from, channel, k, factor, to);
      if constexpr (others != 0)
        add_block<lines, detail::tap_pixels<columns, First, Count, others, Edge>, Lanes>(from, channel, taps - others,
                                                                                         factor, to);
    }
  }
  /// Some taps, from `first` on, of some kernel rows, and the channels of each group from `channel` on. from: the lines
  /// of pixels.
  template <class Lines, class Pixels, int Lanes>
  static ESPALIER_IN_KERNEL void add_block(T const* const* from, int channel, int first, T const* factor,
                                           T* const* to) {
    V sums[static_cast<std::size_t>(Lines::taps * Pixels::taps * together)],
        factors[static_cast<std::size_t>(Lines::columns * Pixels::columns)];
    constexpr auto all = std::make_integer_sequence<int, Lines::taps * Pixels::taps * together>{};
    clear(sums, all);
    add_pixels<Lines, Pixels, Lanes>(sums, factors, from, std::int64_t{first} * facts::column_tap * channels + channel,
                                     factor, std::make_integer_sequence<int, Lines::all.count * Pixels::all.count>{});
    add_sums<Pixels, Lanes>(sums, to, first * Each + channel, all);
  }
  template <int... K>
  static ESPALIER_IN_KERNEL void clear(V* sums, std::integer_sequence<int, K...>) {
    ((sums[K] = V(T(0))), ...);
  }
  template <class Pixels, int Lanes, int... K>
  static ESPALIER_IN_KERNEL void add_sums(V const* sums, T* const* to, int first, std::integer_sequence<int, K...>) {
    constexpr int row = Pixels::taps * together;
    (add_to<Lanes>(to[K / row] + std::int64_t{first + K % row / together * Each + K % together} * channels, sums[K]),
     ...);
  }
  /// All pixels, column by column.
  template <class Lines, class Pixels, int Lanes, int... P>
  static ESPALIER_IN_KERNEL void add_pixels(V* sums, V* factors, T const* const* from, std::int64_t skipped,
                                            T const* factor, std::integer_sequence<int, P...>) {
    constexpr int lines = Lines::all.count;
    (add_pixel<detail::pixel_readers<Lines, Pixels, P % lines, P / lines>, Lanes>(
         sums, factors, from[P % lines] + skipped + std::int64_t{Pixels::all.at[P / lines]} * channels, factor,
         typename detail::pixel_readers<Lines, Pixels, P % lines, P / lines>::each{},
         typename detail::pixel_readers<Lines, Pixels, P % lines, P / lines>::each_first{}),
     ...);
  }
  /// A pixel, times the factors of all rows and columns that read it.
  template <class Readers, int Lanes, int... I, int... First>
  static ESPALIER_IN_KERNEL void add_pixel(V* sums, V* factors, T const* from, [[maybe_unused]] T const* factor,
                                           std::integer_sequence<int, I...>, std::integer_sequence<int, First...>) {
    ((factors[Readers::first(First).factor] = load<Lanes>(factor + Readers::first(First).row * factor_row +
                                                          std::int64_t{Readers::first(First).column} * channels)),
     ...);
    add_channels<Readers, Lanes>(sums, factors, from, std::make_integer_sequence<int, together>{},
                                 std::integer_sequence<int, I...>{});
  }
  template <class Readers, int Lanes, int... Channel, class All>
  static ESPALIER_IN_KERNEL void add_channels(V* sums, V const* factors, T const* from,
                                              std::integer_sequence<int, Channel...>, All all) {
    if constexpr (detail::fills_registers<Each, V>) {
      (add_readers<Readers, Channel>(sums, factors, V(from[Channel]), all), ...);
    } else {
      V const pixel = load<Lanes>(from);
      (add_readers<Readers, Channel>(sums, factors, detail::spread<Each, Channel>(pixel), all), ...);
    }
  }
  template <class Readers, int Channel, int... I>
  static ESPALIER_IN_KERNEL void add_readers(V* sums, V const* factors, V pixel, std::integer_sequence<int, I...>) {
    ((sums[Readers::all.at[I].sum * together + Channel] =
          fma(pixel, factors[Readers::all.at[I].factor], sums[Readers::all.at[I].sum * together + Channel])),
     ...);
  }

  /// One column whose taps may be outside the image.
  template <int Factors>
  static ESPALIER_INLINE void column(T const* image, T const* factor, T* y, rows_in_reach& reach, int first, int last,
                                     int i) {
    factor += std::int64_t{i} * channels;
    for (int j = 0; j < Factors; ++j, image += facts::row_step * pixel_row, factor += factor_row) {
      for (int c = first; c < (last < whole ? last : whole); ++c)
        column_of_channels<V::size>(image + detail::first_channel<Each, V>(c * V::size), factor + c * V::size,
                                    y + c * V::size, reach, i);
      if constexpr (constexpr int c = whole * V::size; rest != 0)
        if (last == registers) column_of_channels<rest>(image + c, factor + c, y + c, reach, i);
    }
  }
  template <int Lanes>
  static ESPALIER_INLINE void column_of_channels(T const* image, T const* factor, T* y, rows_in_reach& reach, int i) {
    V const own = load<Lanes>(factor);
    for (int r = 0; r < reach.count; ++r)
      for (int k = 0; k < taps; ++k)
        if (columns::inside(0, k, i))
          add_products<Lanes>(y + (std::int64_t{reach.tap[r]} * taps + k) * Each * channels,
                              load<Lanes>(image + reach.pixels[r] + std::int64_t{columns::pixel(0, k, i)} * channels),
                              own, std::make_integer_sequence<int, Each>{});
  }
  template <int Lanes, int... Channel>
  static ESPALIER_INLINE void add_products(T* y, V pixel, V own, std::integer_sequence<int, Channel...>) {
    (add_to<Lanes>(y + std::int64_t{Channel} * channels, detail::spread<Each, Channel>(pixel) * own), ...);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"

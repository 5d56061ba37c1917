// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "contract_pack.hpp"
#include "int8_dot.hpp"

ESPALIER_PRECISE_BEGIN
/// Products of activations, 0 to 255, with weights of 8 bits: y = scale (start + sum over k of a b), with the sums in
/// 32 bits.
namespace espalier::on_cpu {

/// The rows of a matrix, each of a whole number of steps. A product reads its left operand through such a type: a row
/// is `runs` runs of `run` elements, run r begins run_at(r) elements behind the first of its row, row i at row_at(i).
/// Runs may overlap those of other rows, as the windows of an image do. Elements behind a run are read, up to a whole
/// step, and count nothing. Rows [k line, (k + 1) line) are `apart` elements from each other; line 0: all rows are.
template <int Depth, int Step>
struct matrix_rows_of_int8 {
  static constexpr int runs = 1, run = Depth, stride = (Depth + Step - 1) / Step * Step, line = 0, apart = stride;
  static constexpr std::int64_t run_at(int) { return 0; }
  static ESPALIER_INLINE std::int64_t row_at(std::int64_t i) { return i * stride; }
};

/// The results of a product as floats: y[i, j] = scale[j] sum, and not below 0 if Relu.
template <class Arch, bool Relu>
struct int8_floats {
  using types = detail::int8_types<Arch>;
  float const* scale;
  float* y;
  std::int64_t stride;

  ESPALIER_INLINE void operator()(std::int64_t i, std::int64_t j, typename types::sums sum, int count) const {
    using floats = typename types::floats;
    floats by;
    __builtin_memcpy(&by, scale + j, sizeof by);
    floats x = __builtin_convertvector(sum, floats) * by;
    if constexpr (Relu) x = x > floats{} ? x : floats{};
    __builtin_memcpy(y + i * stride + j, &x, static_cast<std::size_t>(count) * sizeof(float));
  }
};

/// The product of M rows with a packed matrix (depth, N). Rows: as above. Types: of the elements and weights.
template <class Arch, class Rows, std::int64_t M, std::int64_t N, class Types = detail::int8_types<Arch>>
struct contract_int8 {
  using types = Types;
  using element = typename types::element;
  using weight = typename types::weight;
  using sums = typename types::sums;
  static constexpr int step = types::step, lanes = types::lanes;
  static constexpr int steps = (Rows::run + step - 1) / step;  ///< of a run
  static constexpr std::int64_t vectors = (N + lanes - 1) / lanes, last = N - (vectors - 1) * lanes;
  static constexpr std::int64_t depth = std::int64_t{Rows::runs} * steps * step;

  /// Registers hold rows x each sums, a register of weights for each of them, and an activation.
  struct cut {
    int rows, each;
    double cost;
  };
  /// Whether blocks of so many rows have them at constant distances: then one register addresses all of them.
  static constexpr bool is_even(std::int64_t rows) {
    constexpr std::int64_t line = Rows::line == 0 ? 1 : Rows::line;
    return Rows::line == 0 || (line % rows == 0 && M % line == 0);
  }
  /// Estimated cycles of a step: two products at a time, four for a sum that waits for its last. Instructions of VNNI
  /// also wait for five instructions at a time; an address of each row takes two. Others take several for each product,
  /// so they wait for these.
  static constexpr bool counts_addresses = types::has_sums;
  static constexpr double block_cost(std::int64_t rows, std::int64_t each) {
    double const busy = 0.5 * static_cast<double>(rows * each), loads = 0.5 * static_cast<double>(rows + each),
                 all = 0.2 * static_cast<double>(rows * each + rows + each + 3 + (is_even(rows) ? 0 : 2 * rows));
    double const most = busy > loads ? busy : loads, longest = counts_addresses && all > most ? all : most;
    return (longest < 4 ? 4 : longest) + 0.5;
  }
  static constexpr int most_rows = counts_addresses ? 16 : 8;
  static constexpr cut best_cut() {
    constexpr int registers = detail::register_count<Arch>;
    cut best{0, 0, 0};
    for (int rows = 1; rows <= most_rows && rows <= M; ++rows)
      for (int each = 1; each <= 8 && each <= vectors && rows * each + each + 1 <= registers; ++each) {
        if (rows > 8 && (Rows::line == 0 || !is_even(rows))) continue;
        double cost = static_cast<double>(M / rows) * block_cost(rows, each);
        if (M % rows != 0) cost += 1.02 * block_cost(M % rows, each);  // one more kernel to compile
        cost *= static_cast<double>((vectors + each - 1) / each);
        if (best.rows == 0 || cost < best.cost) best = {rows, each, cost};
      }
    return best;
  }
  static constexpr int rows_at_once = best_cut().rows, each = best_cut().each;
  /// The sums of a single row are few: each would wait four cycles for its last product, while two instructions could
  /// begin in each of them. So every second, fourth or eighth step adds to sums of its own, where runs have a multiple
  /// of that, and these are added at the end. They are integers: the bits are the same.
  static constexpr int find_chains() {
    int found = 1;
    if (counts_addresses && M == 1)
      while (found * each < 8 && found * 4 <= steps && steps % (found * 2) == 0) found *= 2;
    return found;
  }
  static constexpr int chains = find_chains();
  static constexpr std::int64_t panel = std::int64_t{each} * lanes, panels = (vectors + each - 1) / each;
  /// Packed weights, in elements, and entries of `start` and of scales: whole panels.
  static constexpr std::int64_t packed_size = panels * panel * depth, columns = panels * panel;

  /// Where the weight of term k of run r and a column is: (panels, runs, steps, columns of a panel, step).
  static constexpr std::int64_t address_of(int r, int k, std::int64_t column) {
    return ((column / panel * Rows::runs + r) * steps + k / step) * panel * step + column % panel * step + k % step;
  }
  /// packed = b, (Rows::runs Rows::run, N). b(term, column) is an integer.
  template <class Integers>
  static void pack(weight* packed, Integers const& b) {
    for (int r = 0; r < Rows::runs; ++r)
      for (int k = 0; k < steps * step; ++k)
        for (std::int64_t column = 0; column < columns; ++column)
          packed[address_of(r, k, column)] =
              k < Rows::run && column < N ? b(std::int64_t{r} * Rows::run + k, column) : std::int8_t{0};
  }

  /// after(i, j, sums, count) for all results of rows [first, first + M): registers of `count` columns from (i, j).
  /// start: by column, what is added to the sum; not read if After::begins_at_0 exists.
  template <class After>
  static void run(element const* a, weight const* packed, std::int32_t const* start, After const& after,
                  std::int64_t first = 0) {
    constexpr std::int64_t rest = M % rows_at_once, whole = M - rest;
    for (std::int64_t p = 0; p < panels; ++p) {
      weight const* const b = packed + p * panel * depth;
      for (std::int64_t i = 0; i < whole; i += rows_at_once) block<rows_at_once>(a, b, start, after, first + i, p);
      if constexpr (rest != 0) block<static_cast<int>(rest)>(a, b, start, after, first + whole, p);
    }
  }

 private:
  /// A block is a function of its own: inside the loop over panels g++ keeps sums of it in memory. A single row has few
  /// sums, and its product may take less time than the call.
  template <int Count, class After>
  static ESPALIER_INLINE void block(element const* a, weight const* b, std::int32_t const* start, After const& after,
                                    std::int64_t i, std::int64_t p) {
    if constexpr (M == 1) inlined_block<Count>(a, b, start, after, i, p);
    else called_block<Count>(a, b, start, after, i, p);
  }
  template <int Count, class After>
  ESPALIER_KERNEL static void called_block(element const* a, weight const* b, std::int32_t const* start, After after,
                                           std::int64_t i, std::int64_t p) {
    inlined_block<Count>(a, b, start, after, i, p);
  }
  template <int Count, class After>
  static ESPALIER_INLINE void inlined_block(element const* a, weight const* b, std::int32_t const* start,
                                            After const& after, std::int64_t i, std::int64_t p) {
    sums_of_block(a, b, start, after, i, p, detail::indices_below<chains * Count * each>{},
                  detail::indices_below<chains * each>{}, detail::indices_below<chains * Count>{},
                  detail::indices_below<Count * each>{}, detail::indices_below<Count>{});
  }
  template <class After, int... Sum, int... Right, int... Left, int... Cell, int... Row>
  static ESPALIER_INLINE void sums_of_block(element const* a, weight const* b, std::int32_t const* start,
                                            After const& after, std::int64_t i, std::int64_t p, detail::indices<Sum...>,
                                            detail::indices<Right...>, detail::indices<Left...>,
                                            detail::indices<Cell...>, detail::indices<Row...>) {
    constexpr std::int64_t of_step = panel * step;
    constexpr int rows = sizeof...(Row), cells = sizeof...(Cell);
    constexpr bool begins_at_0 = requires { After::begins_at_0; };
    std::int32_t const* const from = begins_at_0 ? nullptr : start + p * panel;
    sums sum[] = {
        (Sum < cells && !begins_at_0 ? load(from + Sum % each * lanes) : sums{})...};  // (chains, rows, vectors)
    constexpr bool even = is_even(rows);
    element const* const first = a + Rows::row_at(i);
    element const* const row[] = {even ? first + std::int64_t{Row} * Rows::apart : a + Rows::row_at(i + Row)...};
    for (int r = 0; r < Rows::runs; ++r) {
      std::int64_t const at = Rows::run_at(r);
      for (int k = 0; k < steps; k += chains, b += chains * of_step) {
        sums const right[] = {load_once(b + Right / each * of_step + Right % each * lanes * step)...};
        std::int32_t const left[] = {activations(row[Left % rows] + at + (k + Left / rows) * step)...};
        ((sum[Sum] = types::dot(sum[Sum], left[Sum / each], right[Sum / cells * each + Sum % each])), ...);
      }
    }
    ((Sum < cells ? void() : void(sum[Sum % cells] = types::added(sum[Sum % cells], sum[Sum]))), ...);
    (store(after, i + Cell / each, p * each + Cell % each, sum[Cell]), ...);
  }
  template <class T>
  static ESPALIER_INLINE sums load(T const* from) {
    sums r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
  }
  /// What several instructions use: g++ 12 would read it from memory for each of them, and with 64 bytes that is one
  /// load in each cycle.
  template <class T>
  static ESPALIER_INLINE sums load_once(T const* from) {
    sums r = load(from);
#if defined(__AVX512F__) && !defined(__clang__)
    if constexpr (rows_at_once > 1 && sizeof(sums) == 64) asm("" : "+v"(r));
#endif
    return r;
  }
  static ESPALIER_INLINE std::int32_t activations(element const* from) {
    std::int32_t r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
  }
  template <class After>
  static ESPALIER_INLINE void store(After const& after, std::int64_t i, std::int64_t vector, sums sum) {
    if (vector + 1 < vectors) after(i, vector * lanes, sum, lanes);
    else if (vector + 1 == vectors) after(i, vector * lanes, sum, static_cast<int>(last));
  }
};

/// Sums over the taps of windows with a weight for each tap and channel: y[i, c] = start[c] + sum over t of a[i, t, c]
/// w[t, c]. Rows: its runs are the taps, each of as many elements as there are channels.
template <class Arch, class Rows>
struct tap_sums_int8 {
  using types = detail::int8_types<Arch>;
  using element = typename types::element;
  using sums = typename types::sums;
  static constexpr int lanes = types::lanes, taps = Rows::runs, channels = Rows::run;
  static constexpr int vectors = (channels + lanes - 1) / lanes, columns = vectors * lanes;
  static constexpr int packed_size = taps * columns;
  using weight = std::int32_t;

  /// packed = w, (taps, channels), with rows of whole registers. w(tap, channel) is an integer.
  template <class Integers>
  static void pack(weight* packed, Integers const& w) {
    for (int t = 0; t < taps; ++t)
      for (int c = 0; c < columns; ++c) packed[t * columns + c] = c < channels ? w(t, c) : 0;
  }
  template <class After>
  ESPALIER_KERNEL static void run(element const* a, weight const* packed, std::int32_t const* start, After const& after,
                                  std::int64_t rows) {
    for (std::int64_t i = 0; i < rows; ++i) {
      element const* const row = a + Rows::row_at(i);
      for (int v = 0; v < vectors; ++v) {
        sums sum = load(start + v * lanes);
        for (int t = 0; t < taps; ++t) {
          typename types::elements q;
          __builtin_memcpy(&q, row + Rows::run_at(t) + v * lanes, sizeof q);
          sum += types::widened(q) * load(packed + t * columns + v * lanes);
        }
        after(i, std::int64_t{v} * lanes, sum, v + 1 < vectors ? lanes : channels - (vectors - 1) * lanes);
      }
    }
  }

 private:
  static ESPALIER_INLINE sums load(std::int32_t const* from) {
    sums r;
    __builtin_memcpy(&r, from, sizeof r);
    return r;
  }
};

}  // namespace espalier::on_cpu
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"

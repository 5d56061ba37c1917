// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/winograd.hpp"
#include "../vector/simd.hpp"

/// The transforms of Winograd's method: constant matrices times tiles of registers.
namespace espalier::on_cpu::detail {

/// The matrices of one axis as types: M results, K taps.
template <int M, int K>
struct winograd_results {
  static constexpr int rows = M, columns = M + K - 1;
  static constexpr double at(int i, int j) { return espalier::detail::winograd_of<M, K>.results[i][j]; }
};
template <int M, int K>
struct winograd_inputs {
  static constexpr int rows = M + K - 1, columns = M + K - 1;
  static constexpr double at(int i, int j) { return espalier::detail::winograd_of<M, K>.inputs[i][j]; }
};
template <int M, int K>
struct winograd_kernel {
  static constexpr int rows = M + K - 1, columns = K;
  static constexpr double at(int i, int j) { return espalier::detail::winograd_of<M, K>.kernels[i][j]; }
};
template <class Matrix>
struct transposed_matrix {
  static constexpr int rows = Matrix::columns, columns = Matrix::rows;
  static constexpr double at(int i, int j) { return Matrix::at(j, i); }
};

/// Points p and -p of a matrix of integers share work: half of the terms are equal, half have the other sign. Of a
/// matrix whose rows are powers of points, columns k and k + 1 do; of one that has a row for each point, rows i and
/// i + 1.
template <class Matrix>
constexpr bool pairs_columns(int k) {
  if (k < 0 || k + 1 >= Matrix::columns || Matrix::rows < 2) return false;
  bool equal = true, any = false;
  for (int i = 0; i < Matrix::rows; ++i) {
    equal = equal && Matrix::at(i, k + 1) == (i % 2 == 0 ? 1 : -1) * Matrix::at(i, k);
    any = any || (i % 2 == 1 && Matrix::at(i, k) != 0);
  }
  return equal && any;
}
template <class Matrix>
constexpr bool pairs_rows(int i) {
  if (i < 0 || i + 1 >= Matrix::rows) return false;
  int same = 0, other = 0;
  for (int k = 0; k < Matrix::columns; ++k) {
    auto const a = Matrix::at(i, k), b = Matrix::at(i + 1, k);
    if (a != b && a != -b) return false;
    same += a != 0 && a == b, other += a != 0 && a == -b;
  }
  return same > 0 && other > 0;
}
/// Whether a pair begins at k: the pairs before it have no part of it.
template <class Matrix>
constexpr bool begins_pair(bool (*pairs)(int), int k) {
  bool begins = false;
  for (int i = 0; i <= k; ++i) begins = !begins && pairs(i);
  return begins;
}
/// The matrix for sums (column k) and differences (column k + 1) of its pairs of columns.
template <class Matrix>
struct of_column_pairs {
  static constexpr int rows = Matrix::rows, columns = Matrix::columns;
  static constexpr auto at(int i, int k) {
    if (begins_pair<Matrix>(pairs_columns<Matrix>, k)) return i % 2 == 0 ? Matrix::at(i, k) : 0;
    if (begins_pair<Matrix>(pairs_columns<Matrix>, k - 1)) return i % 2 == 0 ? 0 : Matrix::at(i, k - 1);
    return Matrix::at(i, k);
  }
};
/// The terms of row i that row i + 1 has, too, and those that it has with the other sign.
template <class Matrix, bool Same>
struct of_row_pairs {
  static constexpr int rows = Matrix::rows, columns = Matrix::columns;
  static constexpr auto at(int i, int k) {
    return (Matrix::at(i, k) == Matrix::at(i + 1, k)) == Same ? Matrix::at(i, k) : 0;
  }
};

/// Lanes of a register that hold channels: all of them, or as many as there are.
template <class T, class Arch, int Channels>
inline constexpr int channel_lanes = Channels < pack<T, Arch>::size ? Channels : pack<T, Arch>::size;

/// Calls f(first channel) for registers of channels [begin, end). The last register overlaps the one before it.
template <int Lanes, class F>
ESPALIER_INLINE void for_each_register(int begin, int end, F const& f) {
  for (int c = begin; c < end; c += Lanes) f(c + Lanes <= end ? c : end - Lanes);
}

/// Tile number i of images with Down rows and Across columns of tiles: the image that it is in, and its first result.
template <winograd_tile Tile, int Down, int Across>
struct tile_place {
  std::int64_t image;
  int row, column;
  explicit ESPALIER_INLINE tile_place(std::int64_t i)
      : image{i / (Down * Across)},
        row{static_cast<int>(i / Across % Down) * Tile.rows},
        column{static_cast<int>(i % Across) * Tile.columns} {}
};

/// A tile that lies in memory: element (row, column) at a distance of both strides.
/// From: T, or a type of 16 bits that is widened.
template <class T, class Arch, int Lanes, std::int64_t RowStride, std::int64_t ColumnStride, class From = T>
struct whole_tile {
  From const* from;
  static ESPALIER_INLINE bool has_column(int) { return true; }
  template <int Row>
  ESPALIER_INLINE pack<T, Arch> load(int column) const {
    return pack<T, Arch>::template load_first<Lanes>(from + Row * RowStride + column * ColumnStride);
  }
};
/// The same for a tile that reaches beyond the image, where it is 0. Ends are exclusive.
template <class T, class Arch, int Lanes, std::int64_t RowStride, std::int64_t ColumnStride>
struct edge_tile {
  T const* from;
  int first_row, end_row, first_column, end_column;
  ESPALIER_INLINE bool has_column(int column) const { return column >= first_column && column < end_column; }
  template <int Row>
  ESPALIER_INLINE pack<T, Arch> load(int column) const {
    if (Row < first_row || Row >= end_row) return pack<T, Arch>(0);
    return pack<T, Arch>::template load_first<Lanes>(from + Row * RowStride + column * ColumnStride);
  }
};

/// Rows times a tile times the transpose of Columns. V: registers, a pack or integers (vector/integer_pack.hpp).
template <class V, class Rows, class Columns>
struct winograd_transform {
  using T = typename V::value_type;
  static constexpr int width = V::size;
  static constexpr bool is_exact = std::is_integral_v<T>;
  /// Elements of memory that a transform needs.
  static constexpr int held = (Rows::rows > Rows::columns ? Rows::rows : Rows::columns) *
                              (Columns::rows > Columns::columns ? Columns::rows : Columns::columns) * width;

  /// Rows First ... First + Count - 1 of the result: store(k, sum) for each element, k = row * Columns::rows + column,
  /// counted from row First.
  template <int First, int Count, class Tile, class Store>
  static ESPALIER_INLINE void run(T* memory, Tile const& tile, Store const& store) {
    columns_first<First>(memory, tile, indices_below<Rows::columns>{}, indices_below<Count>{});
    for (int i = 0; i < Count; ++i)
      store_row(memory + i * Columns::columns * width, i * Columns::rows, store, indices_below<Columns::columns>{},
                indices_below<Columns::rows>{});
  }

  /// The same, where rows First ... First + Count - 1 of the tile are added to the result: load(i, j) is what was added
  /// before, store(i, j, sum) takes the new sum. Rows of the result from `rows` on, and columns from `columns` on, are
  /// left out.
  template <int First, int Count, class Tile, class Load, class Store>
  static ESPALIER_INLINE void add(T* memory, Tile const& tile, int rows, int columns, Load const& load,
                                  Store const& store) {
    for (int i = 0; i < Count; ++i)
      hold_row(memory + i * Columns::rows * width, tile, i, indices_below<Columns::columns>{},
               indices_below<Columns::rows>{});
    for (int j = 0; j < Columns::rows && j < columns; ++j)
      add_column<First, Count>(memory + j * width, j, rows, load, store, indices_below<Count>{},
                               indices_below<Rows::rows>{});
  }

 private:
  template <class Matrix, int Row>
  static constexpr int first_factor() {
    for (int k = 0; k < Matrix::columns; ++k)
      if (Matrix::at(Row, k) != 0) return k;
    return -1;
  }
  template <class Matrix, int Row, int K, bool Begins>
  static ESPALIER_INLINE V add_term(V sum, V x) {
    constexpr auto factor = Matrix::at(Row, K);
    if constexpr (factor == 0) return sum;
    else if constexpr (Begins) return factor == 1 ? x : factor == -1 ? -x : x * V(static_cast<T>(factor));
    else if constexpr (factor == 1) return sum + x;
    else if constexpr (factor == -1) return sum - x;
    else return fma(x, V(static_cast<T>(factor)), sum);
  }
  /// Row `Row` of the matrix times x[0], x[1], ...
  template <class Matrix, int Row, int... K>
  static ESPALIER_INLINE V row_times(V const* x, indices<K...>) {
    V sum(0);
    ((sum = add_term<Matrix, Row, K, K == first_factor<Matrix, Row>()>(sum, x[K])), ...);
    return sum;
  }

  /// store(i, row First + i of the matrix times x) for rows I. Numbers are added in the order of the row, integers so
  /// that pairs share sums.
  template <class Matrix, int First, class Store, int... K, int... I>
  static ESPALIER_INLINE void times(V const* x, Store const& store, indices<K...>, indices<I...>) {
    if constexpr (!is_exact) {
      (store(I, row_times<Matrix, First + I>(x, indices<K...>{})), ...);
    } else {
      static_assert(First == 0);
      V const y[] = {paired<Matrix, K>(x)...};
      (store_pair<of_column_pairs<Matrix>, I>(y, store, indices<K...>{}), ...);
    }
  }
  template <class Matrix, int K>
  static ESPALIER_INLINE V paired(V const* x) {
    if constexpr (begins_pair<Matrix>(pairs_columns<Matrix>, K)) return x[K] + x[K + 1];
    else if constexpr (begins_pair<Matrix>(pairs_columns<Matrix>, K - 1)) return x[K - 1] - x[K];
    else return x[K];
  }
  template <class Matrix, int I, class Store, int... K>
  static ESPALIER_INLINE void store_pair(V const* x, Store const& store, indices<K...>) {
    if constexpr (begins_pair<Matrix>(pairs_rows<Matrix>, I)) {
      V const same = row_times<of_row_pairs<Matrix, true>, I>(x, indices<K...>{}),
              other = row_times<of_row_pairs<Matrix, false>, I>(x, indices<K...>{});
      store(I, same + other);
      store(I + 1, same - other);
    } else if constexpr (!begins_pair<Matrix>(pairs_rows<Matrix>, I - 1)) {
      store(I, row_times<Matrix, I>(x, indices<K...>{}));
    }
  }

  template <int First, class Tile, int... K, int... I>
  static ESPALIER_INLINE void columns_first(T* memory, Tile const& tile, indices<K...>, indices<I...>) {
    for (int c = 0; c < Columns::columns; ++c) {
      if (tile.has_column(c)) {
        V const x[] = {tile.template load<K>(c)...};
        times<Rows, First>(
            x, [&](int i, V sum) { sum.store(memory + (i * Columns::columns + c) * width); }, indices<K...>{},
            indices<I...>{});
      } else {
        (V(0).store(memory + (I * Columns::columns + c) * width), ...);
      }
    }
  }
  template <class Store, int... K, int... J>
  static ESPALIER_INLINE void store_row(T const* row, int first, Store const& store, indices<K...>, indices<J...>) {
    V const x[] = {V::load(row + K * width)...};
    times<Columns, 0>(
        x, [&](int j, V sum) { store(first + j, sum); }, indices<K...>{}, indices<J...>{});
  }
  template <class Tile, int... K, int... J>
  static ESPALIER_INLINE void hold_row(T* to, Tile const& tile, int row, indices<K...>, indices<J...>) {
    V const x[] = {tile(row * Columns::columns + K)...};
    (row_times<Columns, J>(x, indices<K...>{}).store(to + J * width), ...);
  }
  template <int First, int Count, class Load, class Store, int... K, int... I>
  static ESPALIER_INLINE void add_column(T const* column, int j, int rows, Load const& load, Store const& store,
                                         indices<K...>, indices<I...>) {
    V const x[] = {V::load(column + K * Columns::rows * width)...};
    (add_sum<First, Count, I>(x, j, rows, load, store), ...);
  }
  template <int First, int Count, int I, class Load, class Store>
  static ESPALIER_INLINE void add_sum(V const* x, int j, int rows, Load const& load, Store const& store) {
    if (I >= rows) return;
    if constexpr (Count == Rows::columns) {
      store(I, j, row_times<Rows, I>(x, indices_below<Count>{}));
    } else {
      static_assert(Count == 1);
      constexpr bool adds = Rows::at(I, First) != 0;
      if constexpr (First == 0) store(I, j, add_term<Rows, I, First, adds>(V(0), x[0]));
      else if constexpr (adds) store(I, j, add_term<Rows, I, First, false>(load(I, j), x[0]));
    }
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"

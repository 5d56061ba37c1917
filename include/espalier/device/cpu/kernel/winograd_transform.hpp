// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../shape/winograd.hpp"
#include "../vector/simd.hpp"

#include "../../../base/diagnostics_push.hpp"
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

/// Lanes of a register that hold channels: all of them, or as many as there are.
template <class T, class Arch, int Channels>
inline constexpr int channel_lanes = Channels < pack<T, Arch>::size ? Channels : pack<T, Arch>::size;

/// Calls f(first channel) for registers of channels [begin, end). The last register overlaps the one before it.
template <int Lanes, class F>
ESPALIER_INLINE void for_each_register(int begin, int end, F const& f) {
  for (int c = begin; c < end; c += Lanes) f(c + Lanes <= end ? c : end - Lanes);
}

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

/// Rows times a tile times the transpose of Columns.
template <class T, class Arch, class Rows, class Columns>
struct winograd_transform {
  using V = pack<T, Arch>;
  static constexpr int width = V::size;
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
    constexpr double factor = Matrix::at(Row, K);
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

  template <int First, class Tile, int... K, int... I>
  static ESPALIER_INLINE void columns_first(T* memory, Tile const& tile, indices<K...>, indices<I...>) {
    for (int c = 0; c < Columns::columns; ++c) {
      if (tile.has_column(c)) {
        V const x[] = {tile.template load<K>(c)...};
        (row_times<Rows, First + I>(x, indices<K...>{}).store(memory + (I * Columns::columns + c) * width), ...);
      } else {
        (V(0).store(memory + (I * Columns::columns + c) * width), ...);
      }
    }
  }
  template <class Store, int... K, int... J>
  static ESPALIER_INLINE void store_row(T const* row, int first, Store const& store, indices<K...>, indices<J...>) {
    V const x[] = {V::load(row + K * width)...};
    (store(first + J, row_times<Columns, J>(x, indices<K...>{})), ...);
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

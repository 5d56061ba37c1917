// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/winograd_integers.hpp"
#include "../product/contract_int8.hpp"
#include "../vector/integer_pack.hpp"
#include "winograd_transform.hpp"

ESPALIER_PRECISE_BEGIN
/// Convolutions of activations and weights of 8 bits by Winograd's method, without an error: tiles and kernels are
/// transformed to 16 bits by matrices of integers (shape/winograd_integers.hpp), and the sums are those of
/// contract_int8 bit for bit.
namespace espalier::on_cpu {

namespace detail {

/// The matrices of one axis for winograd_transform: M results, K taps.
template <int M, int K>
struct whole_results {
  static constexpr int rows = M, columns = M + K - 1;
  static constexpr int at(int i, int j) { return espalier::detail::winograd_integers_of<M, K>.results[i][j]; }
};
template <int M, int K>
struct whole_inputs {
  static constexpr int rows = M + K - 1, columns = M + K - 1;
  static constexpr int at(int i, int j) { return espalier::detail::winograd_integers_of<M, K>.inputs[i][j]; }
};

/// The factors of a matrix that are not 0.
template <class Matrix>
constexpr int factors_of() {
  int n = 0;
  for (int i = 0; i < Matrix::rows; ++i)
    for (int j = 0; j < Matrix::columns; ++j) n += Matrix::at(i, j) != 0;
  return n;
}

/// The method of products of 16 bits.
template <class Arch>
using int16_types = int8_types<Arch, int8_method::pairs>;

/// What an instruction that multiplies costs, by that of VNNI, which also adds: of bytes, or of 16 bits if Pairs.
template <class Arch, bool Pairs>
constexpr double int8_dot_cost() {
  constexpr bool adds = find_int8_method<Arch>() == int8_method::quads;
  return adds || (!Pairs && find_int8_method<Arch>() != int8_method::pairs) ? 1 : 1.5;
}
/// What weights cost that come from a cache that is far from the core: so many bytes in the time of an instruction.
constexpr double int8_weights_cost(double bytes) { return bytes < 384 * 1024 ? 0 : bytes / 24; }

/// The cost of a convolution by contract_int8, in instructions that multiply: products, results, weights.
template <class Arch>
constexpr double int8_direct_cost(winograd_tile const& t, convolution_sizes const& s) {
  using types = int8_types<Arch>;
  double const rows = static_cast<double>(s.images * s.rows * s.columns), taps = t.kernel_rows * t.kernel_columns;
  int const vectors = (s.outputs + types::lanes - 1) / types::lanes,
            steps = t.kernel_rows * ((t.kernel_columns * s.channels + types::step - 1) / types::step);
  return rows * vectors * (steps * int8_dot_cost<Arch, false>() + 2.5) +
         int8_weights_cost(taps * s.channels * s.outputs * static_cast<double>(sizeof(typename types::weight)));
}
/// The same for tiles. An instruction of a transform takes less than half of the time.
template <class Arch, winograd_tile Tile>
constexpr double int8_winograd_cost(convolution_sizes const& s) {
  using rows = whole_inputs<Tile.rows, Tile.kernel_rows>;
  using columns = whole_inputs<Tile.columns, Tile.kernel_columns>;
  using result_rows = whole_results<Tile.rows, Tile.kernel_rows>;
  using result_columns = whole_results<Tile.columns, Tile.kernel_columns>;
  constexpr int lanes = int16_types<Arch>::lanes;
  int const vectors = (s.outputs + lanes - 1) / lanes, inputs = (s.channels + 2 * lanes - 1) / (2 * lanes);
  double const of_inputs =
      factors_of<rows>() * columns::columns + rows::rows * factors_of<columns>() + 3 * Tile.products();
  double const of_results = factors_of<result_rows>() * result_columns::columns +
                            Tile.rows * factors_of<result_columns>() + 2 * Tile.products() +
                            7 * Tile.rows * Tile.columns;
  // The product of a place has short sums, which begin and end in memory.
  double const products =
      double{1} * Tile.products() * vectors * (((s.channels + 1) / 2) * int8_dot_cost<Arch, true>() + 2);
  return static_cast<double>(tiles_of(Tile, s)) * (products + .4 * (inputs * of_inputs + vectors * of_results)) +
         int8_weights_cost(double{2} * Tile.products() * s.channels * s.outputs);
}

template <class Arch, winograd_tile Tile>
constexpr void try_int8_tile(convolution_sizes const& s, double& least, winograd_tile& best) {
  if constexpr (fits_integers<Tile>()) {
    double const cost = int8_winograd_cost<Arch, Tile>(s);
    if (cost < least) least = cost, best = Tile;
  }
}
/// The fastest tile for kernels of Rows and Columns taps; no rows if contract_int8 is about as fast, as without vector
/// registers: there memory is small, too.
template <class Arch, int Rows, int Columns>
constexpr winograd_tile int8_tile(convolution_sizes const& s) {
  winograd_tile best{0, 0, Rows, Columns};
  if constexpr ((Rows == 1 || Rows == 3) && (Columns == 1 || Columns == 3) && Rows * Columns > 1 && !is_small<Arch> &&
                int16_types<Arch>::lanes > 1) {
    double least = .9 * int8_direct_cost<Arch>(best, s);
    auto const with_rows = [&]<int M>(indices<M>) {
      if constexpr (Columns == 1) try_int8_tile<Arch, winograd_tile{M, 1, Rows, 1}>(s, least, best);
      else {
        try_int8_tile<Arch, winograd_tile{M, 2, Rows, Columns}>(s, least, best);
        try_int8_tile<Arch, winograd_tile{M, 3, Rows, Columns}>(s, least, best);
        try_int8_tile<Arch, winograd_tile{M, 4, Rows, Columns}>(s, least, best);
      }
    };
    if constexpr (Rows == 1) with_rows(indices<1>{});
    else with_rows(indices<2>{}), with_rows(indices<3>{}), with_rows(indices<4>{});
  }
  return best;
}

}  // namespace detail

/// The convolution of padded images with packed kernels. Image: image_size and row_stride, in elements, and whole tiles
/// lie within it: (rows of tiles) Tile.rows + Tile.kernel_rows - 1 rows, and as many columns.
/// Sizes: of the results, which are rows of contract_int8: i = (image, row, column).
template <class Arch, winograd_tile Tile, convolution_sizes Sizes, class Image>
struct winograd_int8 {
  using types = detail::int8_types<Arch>;
  using element = typename types::element;
  using pairs = detail::int16_types<Arch>;
  using weight = std::int16_t;
  static constexpr int channels = Sizes.channels, outputs = Sizes.outputs, places = Tile.products();
  static constexpr winograd_scale scale = winograd_scale_of<Tile>();
  static_assert(fits_integers<Tile>());

  /// Sums over all channels would wrap around beyond repair: those of a piece do not.
  static constexpr int pieces = (channels + scale.most_channels - 1) / scale.most_channels,
                       piece = ((channels + pieces - 1) / pieces + 1) / 2 * 2;
  static constexpr int lanes = pairs::lanes, vectors = (outputs + lanes - 1) / lanes;
  /// Entries of `start` and of scales.
  static constexpr std::int64_t columns = std::int64_t{vectors} * lanes;

  static constexpr int down = (Sizes.rows + Tile.rows - 1) / Tile.rows,
                       across = (Sizes.columns + Tile.columns - 1) / Tile.columns;
  static constexpr std::int64_t tiles = Sizes.images * down * across;
  /// Tiles that are transformed and multiplied at a time, so that what they take stays in the L2 cache. All blocks have
  /// as many, the last one with some that count nothing.
  static constexpr std::int64_t bytes_of_tile = std::int64_t{places} * (2 * piece + 4 * columns);
  /// They are multiples of the rows of a register block; each of these takes as long as two more rows.
  static constexpr std::int64_t find_block() {
    std::int64_t const fit = 384 * 1024 / bytes_of_tile, most = fit > 24 ? 24 : fit < 4 ? 4 : fit;
    std::int64_t best = 1, least = 0;
    for (std::int64_t rows = 1; rows <= 14 && rows <= tiles; ++rows)
      for (std::int64_t block = rows; block <= most; block += rows) {
        std::int64_t const work = (tiles + block - 1) / block * (block / rows) * (rows + 2);
        if (least == 0 || work <= least) best = block, least = work;
      }
    return best;
  }
  static constexpr std::int64_t block = find_block(), blocks = (tiles + block - 1) / block;

  /// The rows of a product: a tile each.
  struct tile_rows {
    static constexpr int runs = 1, run = piece, line = static_cast<int>(block), apart = piece;
    static constexpr std::int64_t run_at(int) { return 0; }
    static ESPALIER_INLINE std::int64_t row_at(std::int64_t i) { return i * piece; }
  };
  using product = contract_int8<Arch, tile_rows, block, outputs, pairs>;
  static constexpr std::int64_t packed_size = std::int64_t{pieces} * places * product::packed_size;

  /// Registers of activations have as many bytes as their channels need.
  static constexpr int find_bytes() {
    int r = Arch::bytes;
    while (r > 16 && r / 4 >= piece) r /= 2;
    return r;
  }
  using activations = detail::integer_pack<std::int16_t, find_bytes()>;
  using wrapping = detail::integer_pack<std::uint32_t, pairs::bytes>;
  using sums = typename pairs::sums;
  /// Distances between the matrices of a block, in elements: registers are stored whole, and caches have few sets for
  /// distances of powers of two.
  static constexpr std::int64_t input_matrix = block * piece + activations::size, sum_matrix = block * columns + lanes;
  static constexpr int results = Tile.rows * Tile.columns;
  /// What run needs beside its operands, in bytes: transformed tiles, their products, and sums of several pieces.
  static constexpr std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
  static constexpr std::int64_t sums_at = rounded(places * input_matrix * 2),
                                held_at = sums_at + rounded(places * sum_matrix * 4),
                                workspace = held_at + (pieces > 1 ? rounded(results * sum_matrix * 4) : 0);

  /// packed = the transformed kernels, (pieces, places, product::packed_size). b(term, column): an integer, where a
  /// term is (kernel row, kernel column, channel).
  template <class Integers>
  static void pack(weight* packed, Integers const& b) {
    constexpr auto const& of_rows = espalier::detail::winograd_integers_of<Tile.rows, Tile.kernel_rows>;
    constexpr auto const& of_columns = espalier::detail::winograd_integers_of<Tile.columns, Tile.kernel_columns>;
    for (std::int64_t i = 0; i < packed_size; ++i) packed[i] = 0;
    for (int c = 0; c < channels; ++c)
      for (std::int64_t j = 0; j < outputs; ++j) {
        int taps[static_cast<unsigned long>(Tile.kernel_rows)][static_cast<unsigned long>(Tile.kernel_columns)];
        for (int r = 0; r < Tile.kernel_rows; ++r)
          for (int q = 0; q < Tile.kernel_columns; ++q)
            taps[r][q] = b((std::int64_t{r} * Tile.kernel_columns + q) * channels + c, j);
        std::int64_t const at = c / piece * places * product::packed_size + product::address_of(0, c % piece, j);
        for (int y = 0; y < Tile.input_rows(); ++y)
          for (int x = 0; x < Tile.input_columns(); ++x) {
            int sum = 0;
            for (int r = 0; r < Tile.kernel_rows; ++r)
              for (int q = 0; q < Tile.kernel_columns; ++q)
                sum += of_rows.kernels[y][r] * of_columns.kernels[x][q] * taps[r][q];
            packed[at + (y * Tile.input_columns() + x) * product::packed_size] = static_cast<weight>(sum);
          }
      }
  }

  /// after(i, j, sums, count) for all results: registers of `count` columns from (i, j). start: by column, what is
  /// added to the sum. own: workspace bytes, aligned to 64. Behind the images are as many elements as a register
  /// holds.
  template <class After>
  static void run(element const* a, weight const* packed, std::int32_t const* start, After const& after, void* own) {
    auto* const inputs = static_cast<std::int16_t*>(own);
    auto* const products = reinterpret_cast<std::uint32_t*>(static_cast<char*>(own) + sums_at);
    auto* const held = reinterpret_cast<std::uint32_t*>(static_cast<char*>(own) + held_at);
    for (std::int64_t i = 0; i < blocks; ++i) {
      std::int64_t const first = i * block, count = tiles - first < block ? tiles - first : block;
      for (int p = 0; p < pieces; ++p) {
        transform_inputs(a, first, count, p * piece, inputs);
        weight const* const of_piece = packed + p * places * product::packed_size;
        for (int k = 0; k < places; ++k)
          product::run(inputs + k * input_matrix, of_piece + k * product::packed_size, nullptr,
                       keep{products + k * sum_matrix});
        if constexpr (pieces > 1) {
          if (p + 1 < pieces) {
            hold(products, count, held, p > 0);
            continue;
          }
        }
        finish(products, first, count, start, after, held);
      }
    }
  }

 private:
  /// The sums of a place, as they are.
  struct keep {
    static constexpr bool begins_at_0 = true;
    std::uint32_t* to;
    ESPALIER_INLINE void operator()(std::int64_t i, std::int64_t j, sums sum, int) const {
      __builtin_memcpy(to + i * columns + j, &sum, sizeof sum);
    }
  };
  using place = detail::tile_place<Tile, down, across>;
  /// A tile of the image, widened.
  struct tile_of_image {
    element const* from;
    static ESPALIER_INLINE bool has_column(int) { return true; }
    template <int Row>
    ESPALIER_INLINE activations load(int column) const {
      using few = typename detail::vector_of<element, activations::size* static_cast<int>(sizeof(element))>::type;
      few x;
      __builtin_memcpy(&x, from + Row * Image::row_stride + column * channels, sizeof x);
      return __builtin_convertvector(x, typename activations::register_type);
    }
  };
  /// A tile of products.
  struct tile_of_sums {
    std::uint32_t const* from;
    static ESPALIER_INLINE bool has_column(int) { return true; }
    template <int Row>
    ESPALIER_INLINE wrapping load(int column) const {
      return wrapping::load(from + (Row * Tile.input_columns() + column) * sum_matrix);
    }
  };
  using input_transform = detail::winograd_transform<activations, detail::whole_inputs<Tile.rows, Tile.kernel_rows>,
                                                     detail::whole_inputs<Tile.columns, Tile.kernel_columns>>;
  using result_transform = detail::winograd_transform<wrapping, detail::whole_results<Tile.rows, Tile.kernel_rows>,
                                                      detail::whole_results<Tile.columns, Tile.kernel_columns>>;

  /// Channels of a piece, from `begin`. The last register also has what lies behind them; its weights are 0, or the
  /// next tile is written after it.
  ESPALIER_KERNEL static void transform_inputs(element const* a, std::int64_t first, std::int64_t count, int begin,
                                               std::int16_t* inputs) {
    alignas(64) std::int16_t memory[static_cast<unsigned long>(input_transform::held)];
    for (std::int64_t i = 0; i < count; ++i) {
      place const at{first + i};
      element const* const from = a + at.image * Image::image_size + at.row * std::int64_t{Image::row_stride} +
                                  std::int64_t{at.column} * channels + begin;
      for (int c = 0; c < piece && begin + c < channels; c += activations::size)
        input_transform::template run<0, Tile.input_rows()>(memory, tile_of_image{from + c}, [&](int k, activations x) {
          x.store(inputs + k * input_matrix + i * piece + c);
        });
    }
  }
  static ESPALIER_INLINE sums sum_of(wrapping x) {
    // Compilers shift unsigned numbers by 0s, and signed ones by their sign.
    return reinterpret_cast<sums>(x.value * scale.inverse) >> scale.shift;
  }
  /// held = the sums of a piece, or what is there and them: (tiles, results, columns).
  ESPALIER_KERNEL static void hold(std::uint32_t const* products, std::int64_t count, std::uint32_t* held, bool adds) {
    alignas(64) std::uint32_t memory[static_cast<unsigned long>(result_transform::held)];
    for (std::int64_t i = 0; i < count; ++i)
      for (int v = 0; v < vectors; ++v)
        result_transform::template run<0, Tile.rows>(
            memory, tile_of_sums{products + i * columns + v * lanes}, [&](int k, wrapping x) {
              std::uint32_t* const to = held + (i * results + k) * columns + v * lanes;
              wrapping const sum = reinterpret_cast<typename wrapping::register_type>(sum_of(x));
              (adds ? wrapping::load(to) + sum : sum).store(to);
            });
  }
  template <class After>
  ESPALIER_KERNEL static void finish(std::uint32_t const* products, std::int64_t first, std::int64_t count,
                                     std::int32_t const* start, After const& after,
                                     [[maybe_unused]] std::uint32_t const* held) {
    alignas(64) std::uint32_t memory[static_cast<unsigned long>(result_transform::held)];
    for (std::int64_t i = 0; i < count; ++i) {
      place const at{first + i};
      std::int64_t const to = (at.image * Sizes.rows + at.row) * Sizes.columns + at.column;
      int const rows = Sizes.rows - at.row, width = Sizes.columns - at.column;
      for (int v = 0; v < vectors; ++v) {
        std::int64_t const j = std::int64_t{v} * lanes;
        wrapping from;
        __builtin_memcpy(&from.value, start + j, sizeof from.value);
        result_transform::template run<0, Tile.rows>(
            memory, tile_of_sums{products + i * columns + j}, [&](int k, wrapping x) {
              int const row = k / Tile.columns, column = k % Tile.columns;
              if (row >= rows || column >= width) return;
              wrapping sum = from + wrapping{reinterpret_cast<typename wrapping::register_type>(sum_of(x))};
              if constexpr (pieces > 1) sum = sum + wrapping::load(held + (i * results + k) * columns + j);
              after(to + std::int64_t{row} * Sizes.columns + column, j, reinterpret_cast<sums>(sum.value),
                    v + 1 < vectors ? lanes : outputs - (vectors - 1) * lanes);
            });
      }
    }
  }
};

}  // namespace espalier::on_cpu
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"

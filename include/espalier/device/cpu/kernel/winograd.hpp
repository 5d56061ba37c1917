// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../product/contract.hpp"
#include "../thread/team.hpp"
#include "windows.hpp"
#include "winograd_transform.hpp"

/// Convolutions by Winograd's method: tiles of the images are transformed, multiplied by transformed kernels, and
/// transformed back.
namespace espalier::on_cpu {

namespace detail {

/// Transformed kernels are panels of so many outputs: element (channel, output) of matrix k is
/// in the panel of the output, whose rows are the channels. So a product reads contiguous memory.
inline constexpr int winograd_panel = 64;
constexpr int panel_width(int outputs, int panel) {
  return outputs - panel < winograd_panel ? outputs - panel : winograd_panel;
}

/// What the kernels of one convolution share.
template <class T, int Channels, int Outputs, class Arch>
struct winograd_facts {
  static constexpr int width = pack<T, Arch>::size, registers = register_count<Arch>;
  static constexpr std::int64_t matrix = winograd_matrix(Channels, Outputs);
  /// Vectors of a register block: a panel has a multiple of them.
  static constexpr int vectors = registers == 32 ? 4 : 2, step = vectors * width;
  static_assert(winograd_panel % step == 0);

  /// c = a b, or c += a b, for a panel of columns. B and C begin at column j.
  /// Mode: prefetch_ahead, for what follows these terms in b, or none.
  template <int Rows, int Mode = plain_panel>
  static ESPALIER_INLINE void multiply(int j, std::int64_t rows, std::int64_t terms, T const* a, T const* b, T* c,
                                       contract_layout const& at, bool accumulate) {
    constexpr int cache_line = 64;
    prefetch_options<T> const options{nullptr, b + terms * at.b_row, cache_line, 0, step * int{sizeof(T)} / cache_line};
    constexpr int rest = Outputs % step;
    if (rest != 0 && j + step > Outputs) {
      if constexpr (rest != 0) {
        constexpr int each = (rest + width - 1) / width, last = rest - (each - 1) * width;
        contract_panel<T, Arch, Rows, each, last, 1, Mode>::run(rows, terms, a, b, c, at, accumulate, options);
      }
    } else if constexpr (Outputs >= step) {
      contract_panel<T, Arch, Rows, vectors, width, 1, Mode>::run(rows, terms, a, b, c, at, accumulate, options);
    }
  }
  /// Rows of a register block.
  static constexpr int most_rows = 6;
};

}  // namespace detail

/// u = the transformed kernels (products, channels outputs) of w (rows, columns, channels, outputs), and its adjoint.
/// From: T, or half or bfloat16 for a w that is widened as it is loaded.
template <class T, winograd_tile Tile, int Channels, int Outputs, bool Adjoint, class Arch, class From = T>
struct winograd_kernels {
  using source = From;
  using rows = detail::winograd_kernel<Tile.rows, Tile.kernel_rows>;
  using columns = detail::winograd_kernel<Tile.columns, Tile.kernel_columns>;
  static constexpr std::int64_t plain_matrix = std::int64_t{Channels} * Outputs,
                                matrix = winograd_matrix(Channels, Outputs);

  ESPALIER_KERNEL static void run(From const* from, T const*, T* to) {
    for (int p = 0; p < Outputs; p += detail::winograd_panel) {
      if (p + detail::winograd_panel <= Outputs) {
        if constexpr (Outputs >= detail::winograd_panel) some<detail::winograd_panel>(from, to, p);
      } else if constexpr (Outputs % detail::winograd_panel != 0) {
        some<Outputs % detail::winograd_panel>(from, to, p);
      }
    }
  }

 private:
  template <int Panel>
  static ESPALIER_INLINE void some(From const* from, T* to, int p) {
    constexpr int lanes = detail::channel_lanes<T, Arch, Panel>;
    for (int c = 0; c < Channels; ++c)
      detail::for_each_register<lanes>(0, Panel, [&](int j) {
        std::int64_t const plain = std::int64_t{c} * Outputs + p + j,
                           transformed = std::int64_t{p} * Channels + std::int64_t{c} * Panel + j;
        if constexpr (Adjoint)
          transform<lanes, detail::transposed_matrix<rows>, detail::transposed_matrix<columns>, matrix, plain_matrix>(
              from + transformed, to + plain);
        else transform<lanes, rows, columns, plain_matrix, matrix>(from + plain, to + transformed);
      });
  }
  template <int Lanes, class Rows, class Columns, std::int64_t FromStride, std::int64_t ToStride>
  static ESPALIER_INLINE void transform(From const* from, T* to) {
    using of = detail::winograd_transform<pack<T, Arch>, Rows, Columns>;
    alignas(64) T memory[static_cast<unsigned long>(of::held)];
    of::template run<0, Rows::rows>(
        memory, detail::whole_tile<T, Arch, Lanes, Columns::columns * FromStride, FromStride, From>{from},
        [&](int k, pack<T, Arch> sum) { sum.template store_first<Lanes>(to + k * ToStride); });
  }
};

/// A product of windows of images, as window_product, by tiles.
///   y = windows(x) w            b: transformed kernels
///   u = transpose(windows(x)) b  b: gradients of results; u: the adjoint of transformed kernels
/// A block of tiles is transformed and multiplied at a time, so that it stays in the L2 cache. If it would have too few
/// tiles, it is computed in rounds, one for each row of the transformed tiles.
template <class T, Shape Image, Shape Window, class Map, Shape B, Shape Y, std::uint64_t Attribute, class Arch>
struct winograd_product : independent_parts {
  using facts = detail::window_facts<Image, Window, Map>;
  static constexpr bool transposed = graph::transposes_in(Attribute).a;
  static constexpr winograd_tile tile = graph::winograd_in(Attribute, Window::value);
  static constexpr int channels = facts::channels,
                       outputs = transposed ? B::template extent<-1>() : Y::template extent<-1>();
  using common = detail::winograd_facts<T, channels, outputs, Arch>;
  static constexpr int width = common::width, in_rows = tile.input_rows(), in_columns = tile.input_columns();
  static constexpr int down = (facts::rows + tile.rows - 1) / tile.rows,
                       across = (facts::columns + tile.columns - 1) / tile.columns;
  static constexpr std::int64_t tiles = std::int64_t{facts::images} * down * across;

  /// Bytes of transformed tiles and of their products that stay in the L2 cache.
  static constexpr std::int64_t kept = 432 * 1024;
  static constexpr std::int64_t tiles_that_fit(int rows) {
    return kept / (std::int64_t{rows} * in_columns * (channels + outputs) * static_cast<std::int64_t>(sizeof(T)));
  }
  static constexpr bool in_rounds = tiles_that_fit(in_rows) < 16 && tiles_that_fit(in_rows) < tiles;
  static constexpr int round = in_rounds ? 1 : in_rows, rounds = in_rows / round;
  /// Blocks are multiples of the rows of a register block, except the last one, which has more rows than that, too.
  /// Few tiles are split into blocks of about one size.
  static constexpr int rows = detail::best_rows(tiles, common::vectors, common::registers, false, Arch::bytes).rows;
  static constexpr std::int64_t row_blocks = (tiles + rows - 1) / rows;
  static constexpr std::int64_t blocks = [] {
    std::int64_t some = tiles_that_fit(round) / rows;
    if (some > 16) some = 16;
    if (some < 2) some = 2;
    return (row_blocks + some - 1) / some;
  }();
  static constexpr std::int64_t most = (row_blocks + blocks - 1) / blocks * rows;
  static ESPALIER_INLINE std::int64_t block_begin(std::int64_t block) {
    std::int64_t const begin = row_blocks * block / blocks * rows;
    return begin < tiles ? begin : tiles;
  }
  /// Whether all blocks are computed in one round before the next one: the kernels of a round are read from a cache for
  /// each block, but results are read and written in each round.
  static constexpr bool rounds_first = tile.products() * common::matrix * (blocks - 1) >
                                       2 * (rounds - 1) * tiles* tile.rows* tile.columns* outputs;
  /// Distances between the matrices of a block. They are no multiple of a page, which caches have few sets for.
  static constexpr std::int64_t input_matrix = most * channels + 16, output_matrix = most * outputs + 16;
  static constexpr std::int64_t size_of_inputs = room_for<T>(round * in_columns * input_matrix),
                                room_size = size_of_inputs + room_for<T>(round * in_columns * output_matrix);
  /// Transformed kernels that come from beyond the L2 cache are prefetched.
  static constexpr int ahead =
      tile.products() * common::matrix * static_cast<std::int64_t>(sizeof(T)) > read_far ? detail::prefetch_ahead : 0;
  /// Terms of a sum whose part of b fits in the L1 cache.
  static constexpr int piece = [] {
    int const fit = 24 * 1024 / (detail::winograd_panel * static_cast<int>(sizeof(T))),
              pieces = (channels + fit - 1) / fit;
    return (channels + pieces - 1) / pieces;
  }();

  /// after: the epilogue of each finished rectangle of y, which has no transposed operand; rows are counted through all
  /// images.
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(T const* x, T const* b, T* y, After const& after = {}) {
    room_on_stack<T, room_size> own;
    some(own, x, b, y, after, 0, units);
  }
  template <class After = detail::no_epilogue>
  ESPALIER_KERNEL static void run(room<T> own, T const* x, T const* b, T* y, After const& after = {}) {
    some(own, x, b, y, after, 0, units);
  }
  /// Blocks are independent, except in a gradient of kernels, where registers of channels are. The last one also has
  /// the channels that fill none: fewer rows than a register block would reach into another part.
  static constexpr int lanes = detail::channel_lanes<T, Arch, channels>;
  static constexpr std::int64_t units = transposed ? channels / lanes : blocks;
  static constexpr int most_parts = detail::parts_along(units, tiles*tile.products() * channels * outputs / 32),
                       parts = transposed && most_parts > 4 ? 4 : most_parts;
  static void part(room<T> own, T const* x, T const* b, T* y, T* shared, int which) {
    part(own, x, b, y, detail::no_epilogue{}, shared, which);
  }
  template <class After>
  ESPALIER_KERNEL static void part(room<T> own, T const* x, T const* b, T* y, After const& after, T*, int which) {
    some(own, x, b, y, after, detail::part_begin(units, parts, which), detail::part_begin(units, parts, which + 1));
  }

 private:
  using all_rounds = detail::indices_below<rounds>;
  using input_rows = detail::winograd_inputs<tile.rows, tile.kernel_rows>;
  using input_columns = detail::winograd_inputs<tile.columns, tile.kernel_columns>;
  using result_rows = detail::winograd_results<tile.rows, tile.kernel_rows>;
  using result_columns = detail::winograd_results<tile.columns, tile.kernel_columns>;

  template <class After>
  static ESPALIER_INLINE void some(room<T> own, T const* x, T const* b, T* y, [[maybe_unused]] After const& after,
                                   std::int64_t first, std::int64_t last) {
    T *const inputs = own.at, *const products = own.at + size_of_inputs;
    if constexpr (transposed) {
      int const begin = static_cast<int>(first) * lanes, end = last < units ? static_cast<int>(last) * lanes : channels;
      add_blocks(x, b, y, begin, end, inputs, products, all_rounds{});
    } else if constexpr (rounds_first) {
      compute_blocks(x, b, y, after, first, last, inputs, products, all_rounds{});
    } else {
      for (std::int64_t i = first; i < last; ++i)
        compute_blocks(x, b, y, after, i, i + 1, inputs, products, all_rounds{});
    }
  }

  static constexpr std::int64_t min_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  using place = detail::tile_place<tile, down, across>;

  /// Blocks [begin, end), round by round.
  template <class After, int... Round>
  static ESPALIER_INLINE void compute_blocks(T const* x, T const* u, T* y, After const& after, std::int64_t begin,
                                             std::int64_t end, T* inputs, T* products, detail::indices<Round...>) {
    (compute_some<Round>(x, u, y, after, begin, end, inputs, products), ...);
  }
  template <int Round, class After>
  static ESPALIER_INLINE void compute_some(T const* x, T const* u, T* y, After const& after, std::int64_t begin,
                                           std::int64_t end, T* inputs, T* products) {
    for (std::int64_t i = begin; i < end; ++i)
      compute_round<Round>(x, u, y, after, block_begin(i), block_begin(i + 1) - block_begin(i), inputs, products);
  }
  template <int Round, class After>
  static void compute_round(T const* x, T const* u, T* y, After const& after, std::int64_t first, std::int64_t count,
                            T* inputs, T* products) {
    transform_inputs<Round>(x, first, count, 0, channels, inputs);
    for (int k = 0; k < round * in_columns; ++k) {
      T const* const of_u = u + (Round * in_columns + k) * common::matrix;
      for (int j = 0; j < outputs; j += common::step) {
        int const p = j / detail::winograd_panel * detail::winograd_panel, panel = detail::panel_width(outputs, p);
        T const* const of_panel = of_u + std::int64_t{p} * channels + (j - p);
        for (int c = 0; c < channels; c += piece)
          common::template multiply<rows, ahead>(j, count, min_of(channels - c, piece), inputs + k * input_matrix + c,
                                                 of_panel + std::int64_t{c} * panel, products + k * output_matrix + j,
                                                 {channels, 1, panel, outputs}, c > 0);
      }
    }
    transform_products<Round>(y, after, first, count, products);
  }

  template <int Round>
  static void transform_inputs(T const* x, std::int64_t first, std::int64_t count, int begin, int end, T* inputs) {
    constexpr std::int64_t stride = std::int64_t{facts::width} * channels;
    using of = detail::winograd_transform<pack<T, Arch>, input_rows, input_columns>;
    alignas(64) T memory[static_cast<unsigned long>(of::held)];
    for (std::int64_t i = 0; i < count; ++i) {
      place const at{first + i};
      int const row = facts::row_start + at.row, column = facts::column_start + at.column;
      T const* const from = x + at.image * facts::image + row * stride + column * channels;
      bool const whole =
          row >= 0 && column >= 0 && row + in_rows <= facts::height && column + in_columns <= facts::width;
      detail::for_each_register<lanes>(begin, end, [&](int c) {
        T* const to = inputs + i * channels + c;
        auto const store = [&](int k, pack<T, Arch> sum) { sum.template store_first<lanes>(to + k * input_matrix); };
        if (whole)
          of::template run<Round, round>(memory, detail::whole_tile<T, Arch, lanes, stride, channels>{from + c}, store);
        else
          of::template run<Round, round>(memory,
                                         detail::edge_tile<T, Arch, lanes, stride, channels>{
                                             from + c, -row, facts::height - row, -column, facts::width - column},
                                         store);
      });
    }
  }

  template <int Round, class After>
  static void transform_products(T* y, [[maybe_unused]] After const& after, std::int64_t first, std::int64_t count,
                                 T const* products) {
    constexpr std::int64_t stride = std::int64_t{facts::columns} * outputs;
    constexpr int some = detail::channel_lanes<T, Arch, outputs>;
    using of = detail::winograd_transform<pack<T, Arch>, result_rows, result_columns>;
    alignas(64) T memory[static_cast<unsigned long>(of::held)];
    for (std::int64_t i = 0; i < count; ++i) {
      place const at{first + i};
      T* const to = y + at.image * facts::rows * stride + at.row * stride + std::int64_t{at.column} * outputs;
      // Sums are added to results, so no registers overlap.
      for (int j = 0; j + some <= outputs; j += some)
        add_results<Round, some>(memory, to + j, at, products + i * outputs + j);
      if constexpr (outputs % some != 0)
        add_results<Round, outputs % some>(memory, to + outputs / some * some, at,
                                           products + i * outputs + outputs / some * some);
      if constexpr (Round == rounds - 1 && !requires { After::nothing; })
        for (int r = 0; r < tile.rows && at.row + r < facts::rows; ++r)
          after((at.image * facts::rows + at.row + r) * facts::columns + at.column,
                min_of(facts::columns - at.column, tile.columns), 0, outputs);
    }
  }
  template <int Round, int Lanes>
  static ESPALIER_INLINE void add_results(T* memory, T* to, place const& at, T const* products) {
    constexpr std::int64_t stride = std::int64_t{facts::columns} * outputs;
    detail::winograd_transform<pack<T, Arch>, result_rows, result_columns>::template add<Round, round>(
        memory, [&](int k) { return pack<T, Arch>::template load_first<Lanes>(products + k * output_matrix); },
        facts::rows - at.row, facts::columns - at.column,
        [&](int r, int q) { return pack<T, Arch>::template load_first<Lanes>(to + r * stride + q * outputs); },
        [&](int r, int q, pack<T, Arch> sum) { sum.template store_first<Lanes>(to + r * stride + q * outputs); });
  }

  /// Adds the products of all blocks for channels [begin, end) to the gradient of the transformed kernels, round by
  /// round: a part of the gradient stays in the caches.
  template <int... Round>
  static ESPALIER_INLINE void add_blocks(T const* x, T const* dy, T* u, int begin, int end, T* inputs, T* gradients,
                                         detail::indices<Round...>) {
    (add_some<Round>(x, dy, u, begin, end, inputs, gradients), ...);
  }
  template <int Round>
  static ESPALIER_INLINE void add_some(T const* x, T const* dy, T* u, int begin, int end, T* inputs, T* gradients) {
    for (std::int64_t i = 0; i < blocks; ++i)
      add_round<Round>(x, dy, u, block_begin(i), block_begin(i + 1) - block_begin(i), begin, end, inputs, gradients);
  }
  template <int Round>
  static void add_round(T const* x, T const* dy, T* u, std::int64_t first, std::int64_t count, int begin, int end,
                        T* inputs, T* gradients) {
    transform_inputs<Round>(x, first, count, begin, end, inputs);
    transform_gradients<Round>(dy, first, count, gradients);
    constexpr int rows = lanes < common::most_rows ? lanes : common::most_rows;
    for (int k = 0; k < round * in_columns; ++k)
      for (int j = 0; j < outputs; j += common::step) {
        int const p = j / detail::winograd_panel * detail::winograd_panel, panel = detail::panel_width(outputs, p);
        T* const of_u = u + (Round * in_columns + k) * common::matrix + std::int64_t{p} * channels +
                        std::int64_t{begin} * panel + (j - p);
        // Sums of few tiles are added up: their errors are smaller.
        for (std::int64_t i = 0; i < count; i += espalier::detail::winograd_tiles_of_sum)
          common::template multiply<rows>(j, end - begin, min_of(count - i, espalier::detail::winograd_tiles_of_sum),
                                          inputs + k * input_matrix + i * channels + begin,
                                          gradients + k * output_matrix + i * outputs + j, of_u,
                                          {1, channels, outputs, panel}, first + i > 0);
      }
  }
  template <int Round>
  static void transform_gradients(T const* dy, std::int64_t first, std::int64_t count, T* gradients) {
    constexpr std::int64_t stride = std::int64_t{facts::columns} * outputs;
    constexpr int some = detail::channel_lanes<T, Arch, outputs>;
    using of = detail::winograd_transform<pack<T, Arch>, detail::transposed_matrix<result_rows>,
                                          detail::transposed_matrix<result_columns>>;
    alignas(64) T memory[static_cast<unsigned long>(of::held)];
    for (std::int64_t i = 0; i < count; ++i) {
      place const at{first + i};
      T const* const from = dy + at.image * facts::rows * stride + at.row * stride + std::int64_t{at.column} * outputs;
      int const rows = facts::rows - at.row, columns = facts::columns - at.column;
      detail::for_each_register<some>(0, outputs, [&](int j) {
        auto const store = [&](int k, pack<T, Arch> sum) {
          sum.template store_first<some>(gradients + k * output_matrix + i * outputs + j);
        };
        if (rows >= tile.rows && columns >= tile.columns)
          of::template run<Round, round>(memory, detail::whole_tile<T, Arch, some, stride, outputs>{from + j}, store);
        else
          of::template run<Round, round>(
              memory, detail::edge_tile<T, Arch, some, stride, outputs>{from + j, 0, rows, 0, columns}, store);
      });
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"

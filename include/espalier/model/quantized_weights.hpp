// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cmath>

#include "../device/cpu/kernel/winograd_int8.hpp"
#include "../plan/winograd_program.hpp"
#include "calibration.hpp"
#include "quantization_error.hpp"
#include "quantized_program.hpp"

#define ESPALIER_RANGES_FIT "expected the calibration of this net, or its ranges, a tensor<float, shape<products, 2>>"

/// Makes the integers of a product's weights, and runs it.
namespace espalier::detail {

/// Constraints that errors name: ranges of as many products as the net has, or the calibration of this net.
template <class Calibrated, int Products>
struct ranges_fit {
  static constexpr bool agree = false;
};
template <int Products, class Device>
struct ranges_fit<tensor<float, shape<Products, 2>, Device>, Products> {
  static constexpr bool agree = std::is_same_v<Device, cpu>;
};
template <class Of, class Net>
struct calibrated_net {
  ESPALIER_READS("the calibration is of {}, the model of {}")
  static constexpr bool agree = std::is_same_v<Of, Net>;
};
template <class Calibrated, class Net, int Products>
struct ranges_relation {
  using type = ranges_fit<Calibrated, Products>;
};
template <ModelType Model, class Batch, class Found, class Net, int Products>
struct ranges_relation<calibration<Model, Batch, Found>, Net, Products> {
  using type = calibrated_net<typename Model::net_type, Net>;
};
/// The calibration has reported its own error.
template <class Relation, class Found, class Net, int Products>
struct ranges_relation<calibration<misused<Relation>, void, Found>, Net, Products> {
  using type = agreed;
};
template <class Calibrated, class Net, int Products>
using ranges_relation_of = typename ranges_relation<Calibrated, Net, Products>::type;
/// Named relation: what stands behind the model of a quantized net.
template <class... Argument>
struct quantized_arguments {
  ESPALIER_READS("behind the model: {...}")
  static constexpr bool agree = false;
};
template <class Calibrated>
float const* ranges_in(Calibrated const& x) {
  if constexpr (requires { x.ranges(); }) return x.ranges().data();
  else return x.data();
}

/// Throws quantization_error for a calibration without data.
template <class Calibrated>
void check_has_data(Calibrated const& x) {
  if constexpr (requires { x.has_data(); })
    if (!x.has_data())
      raise(quantization_error("quantized{model, ranges, batch}", 0,
                               "expected a calibration that evaluated a batch, got one without data"));
}

/// Whether a number is neither NaN nor infinite, by its bits, which -ffast-math leaves alone.
inline bool is_sound(float x) { return (__builtin_bit_cast(std::uint32_t, x) & 0x7f800000u) != 0x7f800000u; }

/// The scale with its reciprocal. scale: positive, and not below 1e-30.
inline on_cpu::detail::int8_scale scale_of_step(float scale, std::int32_t zero_point) {
  return {scale, static_cast<float>(1 / static_cast<double>(scale)), zero_point};
}
/// The scale and zero point of a range: 255 steps from its lowest to its highest number, and 0 is one of them.
inline on_cpu::detail::int8_scale scale_of_range(float low, float high, int product) {
  char const* const where = "quantized{model, ranges, batch}";
  if (!is_sound(low) || !is_sound(high)) raise(quantization_error(where, product, "its range is not finite"));
  if (low > 0 || high < 0)
    raise(quantization_error(where, product, "its range does not contain 0, which padding needs"));
  double const width = (static_cast<double>(high) - static_cast<double>(low)) / 255;
  if (!(width > 1e-30))
    raise(quantization_error(where, product, "expected a range of some width, got one that is all 0"));
  // All numbers follow from the scale as a float, which is what files have.
  auto const scale = static_cast<float>(width);
  double const zero = std::nearbyint(-static_cast<double>(low) / static_cast<double>(scale));
  return scale_of_step(scale, static_cast<std::int32_t>(zero < 255 ? zero : 255));
}

/// The scale of a column of weights, whose largest magnitude is `largest`. It is coarse enough for the bias to fit
/// beside the largest sum, and never 0.
inline float step_of_weights(float largest, float bias, on_cpu::detail::int8_scale const& by) {
  double step = static_cast<double>(largest) / 127;
  double const for_bias =
      (bias < 0 ? -static_cast<double>(bias) : static_cast<double>(bias)) / static_cast<double>(by.scale) / (1 << 29);
  if (step < for_bias) step = for_bias;
  return static_cast<float>(step < 1e-30 ? 1e-30 : step);
}
/// The integer of a weight.
inline std::int8_t quantized_weight(float weight, float step) {
  return static_cast<std::int8_t>(std::nearbyint(static_cast<double>(weight) / static_cast<double>(step)));
}

/// The rows that product K reads: of a matrix, or windows of images with their padding around them. Tile: whole tiles
/// of windows lie within the images.
template <class Net, class Batch, int K, int Step, winograd_tile Tile = winograd_tile{}>
struct rows_of_product {
  static constexpr quantized_product const& product = quantized_split_of<Net, Batch>.products[K];
  static constexpr int row_step = product.map.step[1], column_step = product.map.step[2], row_tap = product.map.step[3],
                       column_tap = product.map.step[4];
  static constexpr int window_rows = product.window.at[1], window_columns = product.window.at[2],
                       kernel_rows = product.window.at[3], kernel_columns = product.window.at[4];
  static constexpr int images = product.windowed ? product.window.at[0] : 1;
  /// The part of the padded image that windows reach, and where it begins in the image.
  static constexpr int reach_rows = ((window_rows - 1) / Tile.rows * Tile.rows + Tile.rows - 1) * row_step +
                                    (kernel_rows - 1) * row_tap + 1,
                       reach_columns =
                           ((window_columns - 1) / Tile.columns * Tile.columns + Tile.columns - 1) * column_step +
                           (kernel_columns - 1) * column_tap + 1,
                       first_row = product.map.start[1], first_column = product.map.start[2];
  static constexpr int channels = product.windowed ? product.window.at[5] : product.depth;
  /// Taps of a kernel row are one run if they are adjacent; a group for each channel has a run for each tap.
  static constexpr bool joins_taps = column_tap == 1 && !product.by_channel;
  static constexpr int runs = !product.windowed ? 1 : joins_taps ? kernel_rows : kernel_rows * kernel_columns;
  static constexpr int run = !product.windowed ? product.depth : joins_taps ? kernel_columns * channels : channels;
  /// Rows at constant distances: all of a matrix, or those of a line of windows.
  static constexpr int line = product.windowed ? window_columns : 0;
  /// Rows of a matrix begin at whole steps.
  static constexpr std::int64_t stride = (product.depth + Step - 1) / Step * Step;
  static constexpr std::int64_t apart = product.windowed ? std::int64_t{column_step} * channels : stride;
  static constexpr std::int64_t row_stride = std::int64_t{reach_columns} * channels,
                                image_size = reach_rows * row_stride;
  static constexpr std::int64_t size = product.windowed ? images * image_size : product.groups * product.rows * stride;

  static constexpr std::int64_t run_at(int r) {
    if constexpr (!product.windowed) return 0;
    else if constexpr (joins_taps) return std::int64_t{r} * row_tap * reach_columns * channels;
    else
      return (std::int64_t{r / kernel_columns} * row_tap * reach_columns + r % kernel_columns * column_tap) * channels;
  }
  static ESPALIER_INLINE std::int64_t row_at(std::int64_t i) {
    if constexpr (!product.windowed) {
      return i * stride;
    } else {
      std::int64_t const column = i % window_columns, line = i / window_columns, row = line % window_rows,
                         image = line / window_rows;
      return image * image_size + (row * row_step * reach_columns + column * column_step) * channels;
    }
  }
};

/// The integers of a product's weights (groups, terms, columns) and the scales of its columns (groups, columns), as a
/// file has them.
struct stored_integers {
  std::int8_t const* weights;
  float const* steps;
};
/// A quantized net as a file has it: its constants in float, and the integers of each product.
template <int Products>
struct stored_net {
  float const* constants;
  on_cpu::detail::int8_scale by[static_cast<std::size_t>(Products)];
  stored_integers integers[static_cast<std::size_t>(Products)];
};

/// Product K of a net: its memory, how its integers are made, and how it runs.
template <class Net, class Batch, int K, class Arch>
struct product_of_int8 {
  using types = on_cpu::detail::int8_types<Arch>;
  using element = typename types::element;
  static constexpr quantized_product const& product = quantized_split_of<Net, Batch>.products[K];
  static constexpr convolution_sizes sizes{product.window.at[0], product.window.at[1], product.window.at[2],
                                           product.window.at[5], product.columns};
  /// Winograd's tile, or one without rows. Tiles of integers have no error, but their kernels take more memory: with
  /// ESPALIER_CONVOLUTION_ERROR=0 there are none, as in float, nor in drafts.
  static constexpr winograd_tile find_tile() {
    [[maybe_unused]] index_map const& m = product.map;
    if constexpr (!is_draft && plan::convolution_error > 0 && product.windowed && !product.by_channel &&
                  product.groups == 1 && product.window.at[3] <= 3 && product.window.at[4] <= 3)
      if (m.step[1] == 1 && m.step[2] == 1 && (m.step[3] == 1 || product.window.at[3] == 1) &&
          (m.step[4] == 1 || product.window.at[4] == 1))
        return on_cpu::detail::int8_tile<Arch, product.window.at[3], product.window.at[4]>(sizes);
    return {0, 0};
  }
  static constexpr winograd_tile tile = find_tile();
  static constexpr bool by_tiles = tile.rows > 0;
  using rows = rows_of_product<Net, Batch, K, types::step, by_tiles ? tile : winograd_tile{}>;
  static constexpr auto find_kernel() {
    if constexpr (product.by_channel) return std::type_identity<on_cpu::tap_sums_int8<Arch, rows>>{};
    else if constexpr (by_tiles) return std::type_identity<on_cpu::winograd_int8<Arch, tile, sizes, rows>>{};
    else return std::type_identity<on_cpu::contract_int8<Arch, rows, product.rows, product.columns>>{};
  }
  using kernel = typename decltype(find_kernel())::type;
  using weight = typename kernel::weight;
  static constexpr std::int64_t packed_size = product.groups * static_cast<std::int64_t>(kernel::packed_size),
                                columns = kernel::columns, all_columns = product.groups * columns;
  /// Elements, and what a kernel may read behind them.
  static constexpr std::int64_t elements = rows::size + 64;
  /// Bytes that a run needs and leaves undefined.
  static constexpr std::size_t workspace = [] {
    if constexpr (by_tiles) return static_cast<std::size_t>(kernel::workspace);
    else return std::size_t{0};
  }();
  static constexpr char const* where = "quantized{model, ranges, batch}";

  /// The integers of the weights: a scale for each column, and the bias in units of both scales. stored: the integers
  /// of a file, in the order of the weights, or null.
  static void prepare(float const* values, on_cpu::detail::int8_scale const& by, weight* packed, std::int32_t* start,
                      float* scale, element* activations, stored_integers const* stored = nullptr) {
    float const* const b = values + constants_of<Net, Batch>.at[product.slot];
    float const* const bias =
        product.bias < 0 ? nullptr : values + constants_of<Net, Batch>.at[product.bias < 0 ? 0 : product.bias];
    constexpr std::int64_t size = std::int64_t{product.depth} * product.columns;
    for (std::int64_t g = 0; g < product.groups; ++g) {
      float const* const of_group = b + g * size;
      float* const steps = scale + g * columns;  // until the integers have been used
      auto const integer = [&](std::int64_t k, std::int64_t j) {
        std::int64_t const at = k * product.columns + j;
        return stored == nullptr ? quantized_weight(of_group[at], steps[j]) : stored->weights[g * size + at];
      };
      for (std::int64_t j = 0; j < columns; ++j) start[g * columns + j] = 0, steps[j] = 0;
      for (std::int64_t j = 0; j < product.columns; ++j)
        steps[j] = stored == nullptr ? step_of_column(of_group + j, bias == nullptr ? 0 : bias[j], by)
                                     : stored->steps[g * product.columns + j];
      kernel::pack(packed + g * kernel::packed_size, integer);
      for (std::int64_t j = 0; j < product.columns; ++j)
        start_column([&](std::int64_t k) { return integer(k, j); }, bias == nullptr ? 0 : bias[j], by,
                     start[g * columns + j], steps[j]);
    }
    // Padding is 0 and never written again.
    for (std::int64_t i = 0; i < elements; ++i) activations[i] = static_cast<element>(by.zero_point - types::offset);
  }

  /// Writes the results of all rows: quantizes what the product reads, then multiplies.
  static void run(void* const* base, on_cpu::detail::int8_scale const& by, weight const* packed,
                  std::int32_t const* start, float const* scale, element* activations) {
    float const* const x = source(base);
    if constexpr (product.windowed) quantize_images(x, activations, by);
    else quantize_rows(x, activations, by);
    float* const y = static_cast<float*>(base[plan::base::parameters]) + stored_offset(product.result);
    using results = on_cpu::int8_floats<Arch, product.relu>;
    if constexpr (product.by_channel) {
      kernel::run(activations, packed, start, results{scale, y, product.columns}, product.rows);
    } else if constexpr (by_tiles) {
      kernel::run(activations, packed, start, results{scale, y, product.columns}, base[plan::base::workspace]);
    } else {
      for (std::int64_t g = 0; g < product.groups; ++g)
        kernel::run(activations, packed + g * kernel::packed_size, start + g * columns,
                    results{scale + g * columns, y, product.columns}, g * product.rows);
    }
  }

 private:
  /// The scale of a column of weights.
  static float step_of_column(float const* weights, float bias, on_cpu::detail::int8_scale const& by) {
    float largest = 0;
    bool sound = is_sound(bias);
    for (int k = 0; k < product.depth; ++k) {
      float const w = weights[std::int64_t{k} * product.columns];
      sound = sound && is_sound(w);
      float const magnitude = w < 0 ? -w : w;
      largest = magnitude > largest ? magnitude : largest;
    }
    if (!sound) raise(quantization_error(where, K, "a weight or a bias is a NaN or an infinity"));
    return step_of_weights(largest, bias, by);
  }
  /// What a column adds to its sum, and the scale of its results, which replaces that of its weights.
  template <class Integers>
  static void start_column(Integers const& integer, float bias, on_cpu::detail::int8_scale const& by,
                           std::int32_t& start, float& scale) {
    std::int64_t sum = 0, most = 0;
    for (int k = 0; k < product.depth; ++k) {
      int const q = integer(k);
      sum += q;
      most += q < 0 ? -q : q;
    }
    double const both = static_cast<double>(by.scale) * static_cast<double>(scale),
                 in_steps = std::nearbyint(static_cast<double>(bias) / both);
    if (!((in_steps < 0 ? -in_steps : in_steps) + 255 * static_cast<double>(most) < 2147483647.0))
      raise(quantization_error(where, K, "its sums can exceed 32 bits: the bias is too large for its scale"));
    scale = static_cast<float>(both);
    start = static_cast<std::int32_t>(static_cast<std::int64_t>(in_steps) - (by.zero_point - types::offset) * sum);
  }
  static constexpr std::int64_t stored_offset(int node) {
    quantized_split const& s = quantized_split_of<Net, Batch>;
    for (int i = 0; i < s.stored_count; ++i)
      if (s.stored[i].node == node) return constants_size<Net, Batch> + s.stored[i].offset;
    return -1;
  }
  static float const* source(void* const* base) {
    constexpr graph::node const& n = quantizable_parts<Net, Batch>.running.nodes[product.source];
    if constexpr (n.op->family == op_family::argument)
      return static_cast<float const*>(base[plan::base::arguments + position_of(n)]);
    else {
      static_assert(stored_offset(product.source) >= 0);
      return static_cast<float const*>(base[plan::base::parameters]) + stored_offset(product.source);
    }
  }
  ESPALIER_KERNEL static void quantize_rows(float const* x, element* to, on_cpu::detail::int8_scale const& by) {
    constexpr std::int64_t count = product.groups * product.rows;
    if constexpr (rows::stride == product.depth) on_cpu::detail::quantize_run<Arch>(to, x, count * product.depth, by);
    else
      for (std::int64_t i = 0; i < count; ++i)
        on_cpu::detail::quantize_run<Arch>(to + i * rows::stride, x + i * product.depth, product.depth, by);
  }
  ESPALIER_KERNEL static void quantize_images(float const* x, element* to, on_cpu::detail::int8_scale const& by) {
    constexpr std::int64_t height = product.image.at[1], width = product.image.at[2], channels = rows::channels;
    constexpr std::int64_t left = rows::first_column < 0 ? -rows::first_column : 0,
                           skip = rows::first_column > 0 ? rows::first_column : 0, room = rows::reach_columns - left,
                           have = width - skip, some = have < room ? have : room;
    for (std::int64_t n = 0; n < rows::images; ++n)
      for (std::int64_t r = 0; r < rows::reach_rows; ++r) {
        std::int64_t const p = r + rows::first_row;
        if (p < 0 || p >= height || some <= 0) continue;
        on_cpu::detail::quantize_run<Arch>(to + n * rows::image_size + (r * rows::reach_columns + left) * channels,
                                           x + ((n * height + p) * width + skip) * channels, some * channels, by);
      }
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <optional>

#include "onnx_program.hpp"

/// Exports windows of images that ONNX has operations for: convolutions, transposed convolutions and poolings. A
/// program has the channels of images last; ONNX has them second.
namespace espalier::io::onnx {

constexpr std::uint64_t to_channels_first = packed_permutation(0, 3, 1, 2),
                        to_channels_last = packed_permutation(0, 2, 3, 1);

/// Sizes, strides, dilations and paddings of windows along rows and columns, in ONNX's terms.
struct window_walk {
  bool valid;
  int taps[2], stride[2], dilation[2], before[2], after[2];
};
/// window: of rank 6, as windows_of makes it. The padding at the end covers the elements that the last window reads.
constexpr window_walk walk_of(index_map const& m, extents const& image, extents const& window) {
  window_walk w{};
  if (!is_image_window(m, image, window)) return w;
  for (int i = 0; i < 2; ++i) {
    int const count = window.at[1 + i];
    w.taps[i] = window.at[3 + i];
    w.stride[i] = count > 1 ? m.step[1 + i] : 1;
    w.dilation[i] = w.taps[i] > 1 ? m.step[3 + i] : 1;
    w.before[i] = -m.start[1 + i];
    int const reach = w.dilation[i] * (w.taps[i] - 1),
              behind = (count - 1) * w.stride[i] + reach + 1 - w.before[i] - image.at[1 + i];
    w.after[i] = behind < 0 ? 0 : behind;
    bool const all =
        (image.at[1 + i] + w.before[i] + w.after[i] - reach - 1) / (w.stride[i] > 0 ? w.stride[i] : 1) + 1 == count;
    if (m.divisor[1 + i] != 1 || w.stride[i] < 1 || w.dilation[i] < 1 || w.before[i] < 0) return window_walk{};
    if (!all && count > 1) return window_walk{};
    if (!all) w.stride[i] = image.at[1 + i] + w.before[i];  // one window; a second does not fit
  }
  w.valid = true;
  return w;
}
constexpr bool pads(window_walk const& w) { return w.before[0] + w.before[1] + w.after[0] + w.after[1] != 0; }

/// The attributes of an operation with windows; for signals only those of columns.
inline std::vector<attribute> attributes_of(window_walk const& w, bool signals, bool dilates) {
  int const first = signals ? 1 : 0;
  auto const list = [&](int const(&x)[2]) { return integers(x + first, x + 2); };
  std::vector<attribute> r{with("kernel_shape", list(w.taps)), with("strides", list(w.stride))};
  if (dilates && (w.dilation[0] != 1 || w.dilation[1] != 1)) r.push_back(with("dilations", list(w.dilation)));
  if (pads(w)) {
    integers edges = list(w.before);
    for (auto const after : list(w.after)) edges.push_back(after);
    r.push_back(with("pads", edges));
  }
  return r;
}

/// Images (N, H, W, C) with the channels second, (N, C, H, W). Signals have one row and no axis for it: (N, C, W).
struct placed_images {
  view images;
  bool signals;
};
inline placed_images place_images(exporter& e, view v, extents const& image, bool may_be_signals) {
  if (v.held || v.stored.size() != image.size()) v = e.to.whole(v, image);
  extents const s = v.shape();
  if (may_be_signals && image.at[1] == 1 && s.rank == 3 && s.at[0] == image.at[0] && s.at[1] == image.at[2] &&
      s.at[2] == image.at[3]) {
    v.order = composed_permutation(v.order, packed_permutation(0, 2, 1), 3);
    return {e.to.transposed_now(v), true};
  }
  // Images of one channel may be stored without its axis, which ONNX's operations need.
  return {e.to.whole(e.to.permuted(v, image, to_channels_first), permuted_extents(image, to_channels_first)), false};
}
/// The result of a window operation, stored as (N, C, H, W), with its channels last in the program.
inline view placed_result(exporter& e, std::string name, placed_images const& x, int channels, int height, int width) {
  if (e.to.open_samples() && x.images.samples_at != 0)
    e.to.throw_open_batch("the first axis of the images is not the samples");
  view r = builder::plain(std::move(name),
                          x.signals ? extents{3, {x.images.stored.at[0], channels, width}}
                                    : extents{4, {x.images.stored.at[0], channels, height, width}},
                          x.images);
  r.order = x.signals ? packed_permutation(0, 2, 1) : to_channels_last;
  return r;
}

/// Images, windows and kernels of a convolution in a program: windows times a matrix of kernels, or times one matrix
/// per group.
struct found_convolution {
  /// node: images with channels last, those of all groups side by side; perhaps in another shape
  int images;
  /// image of all groups, window of one
  extents image, window;
  window_walk walk;
  /// node: (taps and channels, outputs), for each group
  int kernels;
  bool kernels_transposed;
  int groups, outputs;  ///< of one group
  /// kernels: one matrix (taps and channels of one group, outputs of all groups)
  bool one_matrix;
};

inline view write_convolution(exporter& e, found_convolution const& f) {
  bool const one_row = f.walk.taps[0] == 1 && f.walk.before[0] + f.walk.after[0] == 0 && f.window.at[1] == 1;
  view images = e.value(f.images);
  if (f.one_matrix && f.groups != 1) images = e.to.reshaped(images, e.shape(f.images), f.image);
  placed_images const x = place_images(e, images, f.image, one_row);
  int const rows = f.walk.taps[0], columns = f.walk.taps[1], channels = f.window.at[5];
  view k = e.value(f.kernels);
  extents s = e.shape(f.kernels);
  if (f.kernels_transposed) k = e.to.permuted(k, s, swap_permutation(s.rank, s.rank - 1, s.rank - 2));
  s = espalier::detail::swapped_extents(s, f.kernels_transposed);
  extents const oihw = x.signals ? extents{3, {f.groups * f.outputs, channels, columns}}
                                 : extents{4, {f.groups * f.outputs, channels, rows, columns}};
  if (f.groups == 1 || f.one_matrix) {
    int const outputs = f.groups * f.outputs;
    extents const separated{4, {rows, columns, channels, outputs}};
    k = e.to.permuted(e.to.reshaped(k, s, separated), separated, packed_permutation(3, 2, 0, 1));
    k = e.to.reshaped(k, extents{4, {outputs, channels, rows, columns}}, oihw);
  } else {
    extents const separated{5, {f.groups, rows, columns, channels, f.outputs}};
    k = e.to.permuted(e.to.reshaped(k, s, separated), separated, packed_permutation(0, 4, 3, 1, 2));
    k = e.to.reshaped(k, permuted_extents(separated, packed_permutation(0, 4, 3, 1, 2)), oihw);
  }
  std::string const kernels = e.to.named(k, oihw);
  std::vector<attribute> how = attributes_of(f.walk, x.signals, true);
  if (f.groups != 1) how.push_back(with("group", f.groups));
  view y = placed_result(e, e.to.emit("Conv", {x.images.name, kernels}, how), x, f.groups * f.outputs, f.window.at[1],
                         f.window.at[2]);
  y.accepts_bias = true;
  return y;
}

/// Exports a matrix product as a convolution of one group, if it is one.
inline std::optional<view> write_as_convolution(exporter& e, int id) {
  graph::node const& n = e[id];
  int const a = n.operand[0], b = n.operand[1];
  extents const &sa = e.shape(a), &sb = e.shape(b);
  if (transposes_of(n).a || sa.rank != 2 || sb.rank != 2) return {};
  bool const transposed = transposes_of(n).b;
  int outputs = n.shape.at[1];
  int windows = a;
  while (e[windows].op->family == op_family::reshape) windows = e[windows].operand[0];
  if (e[windows].op->family == op_family::move && !e.map_of(windows).fills_with_lowest) {
    int const images = e[windows].operand[0];
    extents const &image = e.shape(images), &window = e.shape(windows);
    window_walk const walk = walk_of(e.map_of(windows), image, window);
    if (walk.valid && window.product(3, 6) == sa.at[1])
      return write_convolution(e, {images, image, window, walk, b, transposed, 1, outputs, true});
  }
  // Rows of images whose channels are stored second: kernels of one pixel.
  view const& v = e.value(a);
  bool const signals = v.stored.rank == 3 && v.order == packed_permutation(0, 2, 1);
  if (v.held || v.stored.size() != sa.size() || !(signals || (v.stored.rank == 4 && v.order == to_channels_last)) ||
      v.stored.at[1] != sa.at[1])
    return {};
  extents const s = v.shape(), image = signals ? extents{4, {s.at[0], 1, s.at[1], s.at[2]}} : s;
  window_walk const walk{true, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  return write_convolution(e, {a, image, extents{6, {image.at[0], image.at[1], image.at[2], 1, 1, image.at[3]}}, walk,
                               b, transposed, 1, outputs, true});
}

/// Exports a grouped convolution, if the reshape concatenates the results of one.
inline std::optional<view> write_as_grouped_convolution(exporter& e, int id) {
  graph::node const& n = e[id];
  auto const is = [&](int x, op_family family, int rank) {
    return e[x].op->family == family && e.shape(x).rank == rank;
  };
  int const beside = n.operand[0];
  if (n.shape.rank != 4 || !is(beside, op_family::permute, 5) ||
      permutation_of(e[beside]) != packed_permutation(1, 2, 3, 0, 4))
    return {};
  int const separated = e[beside].operand[0];
  if (!is(separated, op_family::reshape, 5) || !is(e[separated].operand[0], op_family::contraction, 3)) return {};
  graph::node const& product = e[e[separated].operand[0]];
  int windows = product.operand[0];
  if (transposes_of(product) != graph::transposes{} || !is(windows, op_family::reshape, 3)) return {};
  windows = e[windows].operand[0];
  bool const pixels = is(windows, op_family::permute, 5);  // kernels of one pixel need no windows
  if (!pixels && (e[windows].op->family != op_family::move || e.map_of(windows).fills_with_lowest ||
                  !is(e[windows].operand[0], op_family::reshape, 4)))
    return {};
  int const split = pixels ? windows : e[e[windows].operand[0]].operand[0];
  if (!is(split, op_family::permute, 5) || permutation_of(e[split]) != packed_permutation(3, 0, 1, 2, 4) ||
      !is(e[split].operand[0], op_family::reshape, 5))
    return {};
  int const images = e[e[split].operand[0]].operand[0];
  // (N, H, W, G, C), (G, N, H', W', O)
  extents const x = e.shape(e[split].operand[0]), y = e.shape(separated), kernels = e.shape(product.operand[1]);
  int const G = y.at[0];
  extents window{6, {x.at[0], y.at[2], y.at[3], 1, 1, x.at[4]}};
  window_walk walk{true, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}};
  if (!pixels) {
    window = e.shape(windows);
    walk = walk_of(e.map_of(windows), e.shape(e[windows].operand[0]), window);
    window.at[0] = x.at[0];
  }
  bool const fits = walk.valid && x.at[3] == G && y.at[1] == x.at[0] && window.at[5] == x.at[4] && kernels.rank == 3 &&
                    kernels.at[0] == G && kernels.at[1] == window.product(3, 6) && y.at[4] * G == n.shape.at[3];
  if (!fits) return {};
  extents const image{4, {x.at[0], x.at[1], x.at[2], G * x.at[4]}};
  return write_convolution(e, {images, image, window, walk, product.operand[1], false, G, y.at[4], false});
}

/// Images whose channels a convolution repeats, because each of them has several outputs. channels: of the images
/// before.
struct repeated_channels {
  int images, channels;
};
inline repeated_channels behind_repetition(exporter& e, int images) {
  extents const s = e.shape(images);  // (N, H, W, C times)
  int const repeated = e[images].op->family == op_family::reshape ? e[images].operand[0] : 0;
  if (repeated == 0 || e[repeated].op->family != op_family::broadcast || e.shape(repeated).rank != 5)
    return {images, s.at[3]};
  int const each = e[repeated].operand[0];
  extents const r = e.shape(repeated), one{5, {s.at[0], s.at[1], s.at[2], r.at[3], 1}};
  if (r.product(0, 3) != s.product(0, 3) || !(e.shape(each) == one)) return {images, s.at[3]};
  return {e[each].op->family == op_family::reshape ? e[each].operand[0] : each, r.at[3]};
}

/// Exports the sum of windows times kernels as a convolution of one channel per group, if it is one.
inline std::optional<view> write_as_depthwise_convolution(exporter& e, int id) {
  graph::node const &n = e[id], &product = e[n.operand[0]];
  if (n.op != &described<sum_> || n.shape.rank != 6 || product.op != &described<multiply_>) return {};
  for (int k = 0; k < 2; ++k) {
    int const windows = product.operand[k], repeated = product.operand[1 - k];
    if (e[windows].op->family != op_family::move || e[repeated].op->family != op_family::broadcast) continue;
    extents const window = e.shape(windows), image = e.shape(e[windows].operand[0]);
    int const kernels = e[repeated].operand[0];
    extents result = window, taps = window;
    result.at[3] = result.at[4] = taps.at[0] = taps.at[1] = taps.at[2] = 1;
    window_walk const walk = walk_of(e.map_of(windows), image, window);
    if (!walk.valid || e.map_of(windows).fills_with_lowest || !(n.shape == result) || !(e.shape(kernels) == taps))
      continue;
    repeated_channels const x = behind_repetition(e, e[windows].operand[0]);
    extents one_channel = window, all = image;
    one_channel.at[5] = 1;
    all.at[3] = x.channels;
    return write_convolution(
        e, {x.images, all, one_channel, walk, kernels, false, x.channels, image.at[3] / x.channels, true});
  }
  return {};
}

/// Exports a reduction of windows as a pooling, if it is one.
inline std::optional<view> write_as_pooling(exporter& e, int id) {
  int const windows = e.reduced_operand(id);
  bool const largest = e[id].op == &described<max_>;
  if (e[windows].op->family != op_family::move || (!largest && !e.is_mean(id))) return {};
  index_map const& m = e.map_of(windows);
  extents const &window = e.shape(windows), image = e.shape(e[windows].operand[0]);
  window_walk const walk = walk_of(m, image, window);
  extents expected = window;
  expected.at[3] = expected.at[4] = 1;
  if (!walk.valid || !(e.shape(id) == expected)) return {};
  for (int i = 0; i < 2; ++i)
    if (walk.before[i] >= walk.taps[i] || walk.after[i] >= walk.taps[i] || (!largest && walk.dilation[i] != 1))
      return {};
  if (pads(walk) && m.fills_with_lowest != largest) return {};
  placed_images const x = place_images(e, e.value(e[windows].operand[0]), image, false);
  std::vector<attribute> how = attributes_of(walk, false, largest);
  if (!largest && pads(walk)) how.push_back(with("count_include_pad", 1));
  return placed_result(e, e.to.emit(largest ? "MaxPool" : "AveragePool", {x.images.name}, how), x, image.at[3],
                       window.at[1], window.at[2]);
}

/// Exports the scatter_add of windows. If its operand is a product, both are a transposed convolution; otherwise it is
/// one whose constant kernels copy each tap to its position.
inline view write_scatter_add(exporter& e, int id) {
  graph::node const& n = e[id];
  int const spread = n.operand[0];
  extents const window = e.shape(spread), image = n.shape;
  index_map const& m = e.map_of(id);
  if (!is_image_window(m, image, window) || m.divisor[1] != 1 || m.divisor[2] != 1)
    e.to.throw_unsupported_op("the adjoint of a movement");
  window_walk w{
      true,  {window.at[3], window.at[4]}, {m.step[1], m.step[2]}, {m.step[3], m.step[4]}, {-m.start[1], -m.start[2]},
      {0, 0}};
  integers extra{0, 0};
  for (int i = 0; i < 2; ++i) {
    if (window.at[1 + i] == 1) w.stride[i] = w.stride[i] > 0 ? w.stride[i] : 1;
    if (w.taps[i] == 1) w.dilation[i] = 1;
    int const behind =
        (window.at[1 + i] - 1) * w.stride[i] - w.before[i] + w.dilation[i] * (w.taps[i] - 1) + 1 - image.at[1 + i];
    w.after[i] = behind < 0 ? 0 : behind;
    extra[static_cast<std::size_t>(i)] = behind < 0 ? -behind : 0;
    if (w.stride[i] < 1 || w.dilation[i] < 1 || w.before[i] < 0)
      e.to.throw_unsupported_op("the adjoint of windows that walk backwards");
  }
  std::vector<attribute> how = attributes_of(w, false, true);
  if (extra[0] + extra[1] != 0) how.push_back(with("output_padding", extra));
  int const product = e.behind_reshapes(spread), taps = w.taps[0] * w.taps[1] * window.at[5];
  graph::node const& p = e[product];
  extents const pixels{4, {window.at[0], window.at[1], window.at[2], 0}};
  if (p.op->family == op_family::contraction && p.shape.rank == 2 && !transposes_of(p).a && p.shape.at[1] == taps) {
    int const a = p.operand[0], b = p.operand[1];
    extents in = pixels, sb = e.shape(b);
    in.at[3] = e.shape(a).at[1];
    placed_images const x = place_images(e, e.to.reshaped(e.value(a), e.shape(a), in), in, false);
    view k = e.value(b);
    if (transposes_of(p).b) k = e.to.permuted(k, sb, swap_permutation(2, 0, 1));
    extents const separated{4, {in.at[3], w.taps[0], w.taps[1], window.at[5]}},
        iohw{4, {in.at[3], window.at[5], w.taps[0], w.taps[1]}};
    k = e.to.permuted(e.to.reshaped(k, extents{2, {in.at[3], taps}}, separated), separated, to_channels_first);
    view y = placed_result(e, e.to.emit("ConvTranspose", {x.images.name, e.to.named(k, iohw)}, how), x, image.at[3],
                           image.at[1], image.at[2]);
    y.accepts_bias = true;
    return y;
  }
  // (N, H, W, rows, columns, C) to (N, C rows columns, H, W); the kernel of each of these channels is 1 at its tap.
  view v = e.to.permuted(filled(e, spread), window, packed_permutation(0, 5, 3, 4, 1, 2));
  v = e.to.reshaped_now(e.to.transposed_now(v), extents{4, {window.at[0], taps, window.at[1], window.at[2]}});
  int const in_window = w.taps[0] * w.taps[1];
  tensor one_each{"taps", extents{4, {taps, 1, w.taps[0], w.taps[1]}},
                  std::vector<double>(static_cast<std::size_t>(taps * in_window))};
  for (int t = 0; t < taps; ++t) one_each.numbers[static_cast<std::size_t>(t * in_window + t % in_window)] = 1;
  if (window.at[5] != 1) how.push_back(with("group", window.at[5]));
  return placed_result(e, e.to.emit("ConvTranspose", {v.name, e.to.constant(one_each)}, how), {v, false}, image.at[3],
                       image.at[1], image.at[2]);
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"

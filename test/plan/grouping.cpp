// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_grouping
#include <boost/test/unit_test.hpp>

#include <espalier/plan/grouping.hpp>
#include <espalier/shape/window.hpp>

#include "support/built_program.hpp"

using namespace espalier;
using test::built_program;

namespace {
std::unique_ptr<plan::grouping> looked_up(built_program const& p) {
  auto r = std::make_unique<plan::grouping>();
  plan::look_up_needed(p.nodes, *r, p.program->outputs, p.program->output_count);
  return r;
}
handle move(built_program& p, handle x, movement const& m) {
  return p.add<moved_>(m.shape, static_cast<std::uint64_t>(p.nodes.number_of(m.map)), x);
}
/// The windows of an image as the rows of a matrix, times kernels of `outputs`.
handle product_of_windows(built_program& p, handle windows, int outputs, int groups) {
  extents const w = p.nodes[windows.id].shape;
  int const rows = static_cast<int>(w.product(0, 3)) / groups, depth = static_cast<int>(w.product(3, 6));
  if (groups > 1) {
    handle const matrices = p.add<reshape_>({3, {groups, rows, depth}}, 0, windows);
    return p.add<matmul_>({3, {groups, rows, outputs}}, 0, matrices, p.argument(9, {3, {groups, depth, outputs}}));
  }
  handle const matrix = p.add<reshape_>({2, {rows, depth}}, 0, windows);
  return p.add<matmul_>({2, {rows, outputs}}, 0, matrix, p.argument(9, {2, {depth, outputs}}));
}
constexpr convolution plain{};
}  // namespace

BOOST_AUTO_TEST_CASE(only_what_the_outputs_depend_on_is_needed) {
  built_program p;
  handle const x = p.argument(0, {1, {4}}), y = p.argument(1, {1, {4}}), unused = x * y, result = tanh(x);
  p.result(result);
  auto const r = looked_up(p);
  BOOST_TEST((r->needed[x.id] && r->needed[result.id] && !r->needed[y.id] && !r->needed[unused.id]));
  BOOST_TEST((r->family_of[result.id] == graph::op_family::elementwise && r->size_of[x.id] == 4));
}

// An alias stands for its first operand; the others belong to its pullback only.
BOOST_AUTO_TEST_CASE(reshapes_and_aliases_have_a_holder) {
  built_program p;
  handle const x = p.argument(0, {2, {2, 3}}), y = tanh(x), flat = p.add<reshape_>({1, {6}}, 0, y),
               of_pullback = p.argument(1, {1, {6}}), held = p.add<detach_>({1, {6}}, 0, flat, of_pullback);
  p.result(held);
  auto const r = looked_up(p);
  BOOST_TEST((r->holder_of[held.id] == y.id && r->holder_of[flat.id] == y.id && r->holder_of[y.id] == y.id));
  BOOST_TEST(!r->needed[of_pullback.id]);
}

BOOST_AUTO_TEST_CASE(which_moves_are_windows) {
  built_program p;
  handle const image = p.argument(0, {4, {1, 6, 6, 8}});
  BOOST_TEST(plan::is_window(p.nodes, move(p, image, windows_of({4, {1, 6, 6, 8}}, 3, 3, plain)).id));
  movement shifted{identity_map(4), {4, {1, 5, 6, 8}}};
  shifted.map.start[1] = 1;
  BOOST_TEST(!plan::is_window(p.nodes, move(p, image, shifted).id));
  BOOST_TEST(!plan::is_window(p.nodes, image.id));
}

// A product multiplies windows where they are. Of several products, one for each group of channels, short runs of
// memory are copied to a matrix.
BOOST_AUTO_TEST_CASE(which_products_read_windows_in_place) {
  auto const reads = [](int channels, convolution const& options, int groups = 1) {
    built_program p;
    extents const s{4, {2, 6, 6, channels}};
    handle const windows = move(p, p.argument(0, s), windows_of(s, 3, 3, options));
    return plan::reads_windows(p.nodes, product_of_windows(p, windows, 4, groups).id);
  };
  BOOST_TEST(reads(8, plain));
  BOOST_TEST(reads(1, plain));
  BOOST_TEST(reads(1, convolution{.dilation = {1, 2}}));
  BOOST_TEST(reads(8, convolution{.padding = 1}));
  BOOST_TEST(reads(3, plain, 2));                             // a row of the kernel is one run of 9
  BOOST_TEST(!reads(2, plain, 2));                            // 6 are too few
  BOOST_TEST(!reads(3, convolution{.dilation = {1, 2}}, 2));  // the taps of a row are apart
}

BOOST_AUTO_TEST_CASE(products_that_do_not_read_windows) {
  built_program p;
  handle const a = p.argument(0, {2, {4, 8}}), b = p.argument(1, {2, {8, 4}});
  BOOST_TEST(!plan::reads_windows(p.nodes, p.add<matmul_>({2, {4, 4}}, 0, a, b).id));
  // A maximum of windows reads them; padding below every number is no obstacle to it.
  extents const s{4, {1, 6, 6, 8}};
  handle const windows = move(p, p.argument(2, s), windows_of(s, 2, 2, plain));
  BOOST_TEST(plan::reads_windows(p.nodes, p.add<max_>({6, {1, 5, 5, 1, 1, 8}}, 0b011000, windows).id));
  BOOST_TEST(!plan::reads_windows(p.nodes, p.add<max_>({6, {1, 1, 5, 2, 2, 8}}, 0b000010, windows).id));
}

// Windows times a factor that each tap or each position has, summed over the taps or the positions.
BOOST_AUTO_TEST_CASE(which_sums_compute_windows_times_a_factor) {
  built_program p;
  extents const s{4, {2, 6, 6, 3}}, w{6, {2, 6, 6, 3, 3, 3}}, of_taps{6, {1, 1, 1, 3, 3, 3}},
      of_positions{6, {2, 6, 6, 1, 1, 3}}, of_rows{6, {2, 6, 1, 1, 1, 3}};
  handle const x = p.argument(0, s), windows = move(p, x, windows_of(s, 3, 3, convolution{.padding = 1}));
  auto const repeated = [&](std::uint64_t position, extents const& e) {
    return handle{&p.nodes, operation::emit_broadcast(p.nodes, p.argument(position, e).id, w)};
  };
  auto const found = [&](handle a, handle b, extents const& result) {
    return plan::find_window_sum(p.nodes, p.add<sum_>(result, 0, p.add<multiply_>(w, 0, a, b)).id);
  };
  handle const taps = repeated(1, of_taps), positions = repeated(2, of_positions), rows = repeated(3, of_rows);
  plan::window_sum const over_taps = found(windows, taps, of_positions),
                         over_positions = found(positions, windows, of_taps);
  BOOST_TEST((over_taps.window == windows.id && over_taps.repeated == taps.id && !over_taps.over_positions));
  BOOST_TEST((over_positions.window == windows.id && over_positions.repeated == positions.id &&
              over_positions.over_positions));
  BOOST_TEST((p.nodes[over_taps.factor].shape == of_taps));
  BOOST_TEST(found(windows, positions, of_positions).product == 0);
  BOOST_TEST(found(windows, rows, of_positions).product == 0);
  BOOST_TEST(found(windows, taps, of_rows).product == 0);
  BOOST_TEST(found(windows, windows, of_positions).product == 0);
  BOOST_TEST(
      plan::find_window_sum(p.nodes, p.add<max_>(of_positions, 0, p.add<multiply_>(w, 0, windows, taps)).id).product ==
      0);
  BOOST_TEST(plan::find_window_sum(p.nodes, x.id).product == 0);
}

BOOST_AUTO_TEST_CASE(leaves_are_read_and_not_computed) {
  using graph::op_family;
  static_assert(plan::is_leaf(op_family::argument) && plan::is_leaf(op_family::constant) &&
                plan::is_leaf(op_family::values));
  static_assert(!plan::is_leaf(op_family::random) && !plan::is_leaf(op_family::convert) &&
                !plan::is_leaf(op_family::elementwise) && !plan::is_leaf(op_family::alias));
}

// Rows that consist of several runs: what repeats along the leading axes, too.
BOOST_AUTO_TEST_CASE(segments) {
  static_assert(plan::segments_between({3, {1, 4, 1}}, {3, {5, 4, 6}}) == 5);
  static_assert(plan::segments_between({3, {5, 4, 1}}, {3, {5, 4, 6}}) == 1);
  static_assert(plan::segments_between({4, {1, 1, 4, 1}}, {4, {2, 3, 4, 6}}) == 6);
}

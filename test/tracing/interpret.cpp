// SPDX-License-Identifier: BSL-1.0
// Each family of ops on numbers that a reader can follow. Kernels are tested against this interpreter.
#define BOOST_TEST_MODULE trace_interpret
#include <boost/test/unit_test.hpp>

#include <initializer_list>
#include <limits>
#include <vector>

#include <espalier/tracing/interpret.hpp>

#include "support/built_program.hpp"

using namespace espalier;
using test::built_program;

namespace {
using numbers = std::vector<double>;
constexpr extents matrix{2, {2, 3}};
numbers const six{1, 2, 3, 4, 5, 6};

tracing::leaf_values<double> no_leaves() { return {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr}; }
numbers value(built_program const& p, handle y, tracing::leaf_values<double> const& in) {
  tracing::interpreter<double> run{p.nodes, &y.id, 1};
  run.run(in);
  return {run.value(y.id), run.value(y.id) + p.nodes[y.id].shape.size()};
}
/// The value of a node for arguments of these numbers.
numbers value(built_program const& p, handle y, std::initializer_list<numbers> arguments) {
  std::vector<double const*> pointers;
  for (numbers const& x : arguments) pointers.push_back(x.data());
  tracing::leaf_values<double> in = no_leaves();
  in.arguments = pointers.data();
  return value(p, y, in);
}
}  // namespace

BOOST_AUTO_TEST_CASE(leaves) {
  built_program p;
  numbers const first{1, 2}, second{3, 4}, third{5, 6}, hyper{0.1, 0.2, 0.3};
  double const* const one[] = {first.data(), second.data()};
  double const* const other[] = {third.data()};
  extents const pair{1, {2}};
  tracing::leaf_values<double> in{one, nullptr, nullptr, one, other, other, hyper.data()};
  BOOST_TEST(value(p, p.argument(1, pair), in) == second);
  BOOST_TEST(value(p, p.parameter(0, pair), in) == first);
  BOOST_TEST(value(p, p.buffer(0, pair), in) == third);
  BOOST_TEST(value(p, p.add<random_uniform_>(pair, 0), in) == third);
  BOOST_TEST(value(p, p.add<hyperparameter_>({0, {}}, 2), in) == numbers{0.3});
  BOOST_TEST(value(p, p.add<column_index_>(matrix), in) == (numbers{0, 1, 2, 0, 1, 2}));
  BOOST_TEST(value(p, operation::emit_constant(p.nodes, -1.5, pair), in) == (numbers{-1.5, -1.5}));
}

BOOST_AUTO_TEST_CASE(constant_tensors) {
  built_program p;
  double const before[1] = {9}, elements[3] = {1, 4, 9};
  (void)p.nodes.offset_of_values(before, 1);
  auto const at = static_cast<std::uint64_t>(p.nodes.offset_of_values(elements, 3));
  BOOST_TEST(value(p, p.add<values_>({1, {3}}, at), no_leaves()) == (numbers{1, 4, 9}));
}

BOOST_AUTO_TEST_CASE(integers_and_truth_values_become_numbers) {
  built_program p;
  std::int32_t const labels[3] = {7, -1, 0};
  bool const flags[3] = {true, false, true};
  std::int32_t const* const integers[] = {labels, nullptr};
  bool const* const truths[] = {nullptr, flags};
  tracing::leaf_values<double> in = no_leaves();
  in.labels = integers;
  in.flags = truths;
  extents const three{1, {3}};
  BOOST_TEST(value(p, p.add<convert_>(three, 0, p.add<label_>(three, 0)), in) == (numbers{7, -1, 0}));
  BOOST_TEST(value(p, p.add<convert_>(three, 0, p.add<label_>(three, 3)), in) == (numbers{1, 0, 1}));
}

BOOST_AUTO_TEST_CASE(elementwise_ops) {
  built_program p;
  handle const x = p.argument(0, matrix), y = p.argument(1, matrix);
  numbers const other{6, 5, 4, 3, 2, 1};
  BOOST_TEST(value(p, x - y, {six, other}) == (numbers{-5, -3, -1, 1, 3, 5}));
  BOOST_TEST(value(p, where(x > y, x, 0.0), {six, other}) == (numbers{0, 0, 0, 4, 5, 6}));
}

BOOST_AUTO_TEST_CASE(repeated_and_permuted) {
  built_program p;
  handle const row = p.argument(0, {1, {3}}), column = p.argument(0, {2, {2, 1}}), x = p.argument(0, matrix);
  BOOST_TEST(value(p, p.add<broadcast_>(matrix, 0, row), {{1, 2, 3}}) == (numbers{1, 2, 3, 1, 2, 3}));
  BOOST_TEST(value(p, p.add<broadcast_>(matrix, 0, column), {{1, 2}}) == (numbers{1, 1, 1, 2, 2, 2}));
  BOOST_TEST(value(p, p.add<permute_>({2, {3, 2}}, 0x01, x), {six}) == (numbers{1, 4, 2, 5, 3, 6}));
  BOOST_TEST(value(p, p.add<reshape_>({1, {6}}, 0, x), {six}) == six);
}

// Elements of no source are 0, or below every number.
BOOST_AUTO_TEST_CASE(moved_elements) {
  built_program p;
  handle const x = p.argument(0, {1, {3}});
  index_map m = identity_map(1);
  m.start[0] = -1;
  auto const move = [&](index_map const& map) {
    return p.add<moved_>({1, {5}}, static_cast<std::uint64_t>(p.nodes.number_of(map)), x);
  };
  BOOST_TEST(value(p, move(m), {{1, 2, 3}}) == (numbers{0, 1, 2, 3, 0}));
  m.fills_with_lowest = true;
  double const below_all = -std::numeric_limits<double>::infinity();
  BOOST_TEST(value(p, move(m), {{1, 2, 3}}) == (numbers{below_all, 1, 2, 3, below_all}));
}

// Windows of two of 0 1 2 are 0 1 and 1 2; the adjoint adds what overlaps.
BOOST_AUTO_TEST_CASE(windows_and_their_adjoint) {
  built_program p;
  extents const line{1, {3}}, windows{2, {2, 2}};
  index_map m = identity_map(1);
  m.rank = 2;
  m.step[1] = 1;
  auto const number = static_cast<std::uint64_t>(p.nodes.number_of(m));
  BOOST_TEST(value(p, p.add<moved_>(windows, number, p.argument(0, line)), {{1, 2, 3}}) == (numbers{1, 2, 2, 3}));
  BOOST_TEST(value(p, p.add<scatter_add_>(line, number, p.argument(0, windows)), {{1, 10, 100, 1000}}) ==
             (numbers{1, 110, 1000}));
}

BOOST_AUTO_TEST_CASE(concatenated) {
  built_program p;
  handle const x = p.argument(0, matrix), y = p.argument(1, {2, {2, 1}}), z = p.argument(2, {2, {1, 3}});
  BOOST_TEST(value(p, p.add<concatenate_>({2, {2, 4}}, 1, x, y), {six, {8, 9}, {}}) ==
             (numbers{1, 2, 3, 8, 4, 5, 6, 9}));
  BOOST_TEST(value(p, p.add<concatenate_>({2, {3, 3}}, 0, x, z), {six, {}, {7, 8, 9}}) ==
             (numbers{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

BOOST_AUTO_TEST_CASE(reductions) {
  built_program p;
  handle const x = p.argument(0, matrix);
  BOOST_TEST(value(p, p.add<sum_>({2, {2, 1}}, 0b10, x), {six}) == (numbers{6, 15}));
  BOOST_TEST(value(p, p.add<sum_>({2, {1, 3}}, 0b01, x), {six}) == (numbers{5, 7, 9}));
  BOOST_TEST(value(p, p.add<max_>({2, {1, 1}}, 0b11, x), {{-4, -2, -3, -9, -5, -6}}) == numbers{-2});
}

// (1 2 3; 4 5 6) times (1 0; 0 1; 1 1); the bits of the attribute transpose the operands.
BOOST_AUTO_TEST_CASE(products) {
  built_program p;
  extents const three_by_two{2, {3, 2}}, two_by_two{2, {2, 2}};
  numbers const right{1, 0, 0, 1, 1, 1}, left_transposed{1, 4, 2, 5, 3, 6}, right_transposed{1, 0, 1, 0, 1, 1},
      product{4, 5, 10, 11};
  handle const x = p.argument(0, matrix), y = p.argument(1, three_by_two), xt = p.argument(0, three_by_two),
               yt = p.argument(1, matrix);
  BOOST_TEST(value(p, p.add<matmul_>(two_by_two, 0, x, y), {six, right}) == product);
  BOOST_TEST(value(p, p.add<matmul_>(two_by_two, 1, xt, y), {left_transposed, right}) == product);
  BOOST_TEST(value(p, p.add<matmul_>(two_by_two, 2, x, yt), {six, right_transposed}) == product);
  BOOST_TEST(value(p, p.add<matmul_>(two_by_two, 3, xt, yt), {left_transposed, right_transposed}) == product);
  // One matrix times a batch of two: the identity and its double.
  handle const batch = p.argument(1, {3, {2, 2, 2}}), one = p.argument(0, two_by_two);
  BOOST_TEST(value(p, p.add<matmul_>({3, {2, 2, 2}}, 0, one, batch), {{1, 2, 3, 4}, {1, 0, 0, 1, 2, 0, 0, 2}}) ==
             (numbers{1, 2, 3, 4, 2, 4, 6, 8}));
}

// A value that the roots do not need is not computed: its leaves may be missing.
BOOST_AUTO_TEST_CASE(only_what_the_roots_need) {
  built_program p;
  handle const x = p.argument(0, matrix), missing = p.parameter(0, matrix), unused = x * missing;
  handle const roots = x + x;
  tracing::interpreter<double> run{p.nodes, &roots.id, 1};
  double const* const arguments[] = {six.data()};
  tracing::leaf_values<double> in = no_leaves();
  in.arguments = arguments;
  run.run(in);
  BOOST_TEST(run.value(unused.id) == nullptr);
  BOOST_TEST(run.value(roots.id)[5] == 12);
  run.run(in);  // a second run replaces the values
  BOOST_TEST(run.value(roots.id)[5] == 12);
}

BOOST_AUTO_TEST_CASE(in_single_precision) {
  built_program p;
  handle const x = p.argument(0, {1, {1}});
  handle const y = x + 1.0;
  float const large = 16777216;
  float const* const arguments[] = {&large};
  tracing::interpreter<float> run{p.nodes, &y.id, 1};
  run.run({arguments, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
  BOOST_TEST(*run.value(y.id) == large);
}

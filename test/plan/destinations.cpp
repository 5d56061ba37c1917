// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_destinations
#include <boost/test/unit_test.hpp>

#include "support/built_program.hpp"
#include "support/passes.hpp"

using namespace test;
namespace operation = espalier::operation;
using espalier::extents;
using espalier::handle;
using graph::destination;

namespace {
constexpr extents vector{1, {32}};
constexpr std::int64_t parameters[] = {0, 64}, buffers[] = {128, 256};
constexpr plan::storage_layout layout{parameters, buffers};

bool is_at(plan::address a, int base, std::int64_t offset) { return a.base == base && a.offset == offset; }
}  // namespace

BOOST_AUTO_TEST_CASE(leaves_have_addresses_of_their_own) {
  built_program p;
  handle const x = p.argument(1, vector), w = p.parameter(1, vector), b = p.buffer(0, vector),
               rate = p.add<esp::hyperparameter_>({0, {}}, 3);
  p.result(x * w + b * rate);
  program_passes const r{*p.program, layout};
  BOOST_TEST(is_at(r.to->address_of[x.id], plan::base::arguments + 1, 0));
  BOOST_TEST(is_at(r.to->address_of[w.id], plan::base::parameters, 64));
  BOOST_TEST(is_at(r.to->address_of[b.id], plan::base::buffers, 128));
  for (int const id : r.nodes_of("hyperparameter"))
    BOOST_TEST(is_at(r.to->address_of[id], plan::base::hyperparameters, 3));
  BOOST_TEST(r.nodes_of("hyperparameter").size() == 1u);
}

BOOST_AUTO_TEST_CASE(results_are_written_where_they_belong) {
  built_program p;
  handle const x = p.argument(0, vector), y = x * x, g = tanh(x);
  p.result(y, 2);
  p.program->add_output(g.id, destination::gradient, 1);
  program_passes const r{*p.program, layout};
  BOOST_TEST(r.to->copy_count == 0);
  BOOST_TEST((r.to->direct[y.id] && is_at(r.to->address_of[y.id], plan::base::results + 2, 0)));
  BOOST_TEST((r.to->direct[g.id] && is_at(r.to->address_of[g.id], plan::base::gradients, 64)));
  BOOST_TEST(!r.to->late[y.id]);
}

BOOST_AUTO_TEST_CASE(a_value_with_two_destinations_is_copied_to_the_second) {
  built_program p;
  handle const x = p.argument(0, vector), y = x * x;
  p.result(y, 0);
  p.result(y, 1);
  program_passes const r{*p.program, layout};
  BOOST_TEST((r.to->direct[y.id] && is_at(r.to->address_of[y.id], plan::base::results, 0)));
  BOOST_REQUIRE(r.to->copy_count == 1);
  BOOST_TEST(is_at(r.to->copies[0].to, plan::base::results + 1, 0));
  BOOST_TEST(r.to->copies[0].size == 32);
  BOOST_TEST(r.to->live.last_use[y.id] == r.merged->group_count + 1);
}

BOOST_AUTO_TEST_CASE(a_leaf_that_is_a_gradient_is_copied) {
  built_program p;
  handle const x = p.argument(0, vector);
  p.program->add_output(x.id, destination::gradient, 0);
  program_passes const r{*p.program, layout};
  BOOST_REQUIRE(r.to->copy_count == 1);
  BOOST_TEST(is_at(r.to->copies[0].from, plan::base::arguments, 0));
  BOOST_TEST(is_at(r.to->copies[0].to, plan::base::gradients, 0));
}

// A new state overwrites the old one element by element, in the last sweep.
BOOST_AUTO_TEST_CASE(state_is_updated_in_place) {
  built_program p;
  handle const x = p.argument(0, vector), old = p.buffer(1, vector), updated = old * 0.9 + x;
  p.program->add_output(updated.id, destination::buffer, 1);
  program_passes const r{*p.program, layout};
  BOOST_TEST(r.to->copy_count == 0);
  BOOST_TEST((r.to->direct[updated.id] && is_at(r.to->address_of[updated.id], plan::base::buffers, 256)));
  BOOST_TEST(r.to->late[updated.id]);
}

BOOST_AUTO_TEST_CASE(state_that_is_still_read_is_updated_by_a_copy) {
  extents const square{2, {8, 8}};
  built_program p;
  handle const x = p.argument(0, square), old = p.parameter(0, square), updated = old - x;
  p.program->add_output(updated.id, destination::parameter, 0);
  p.result(operation::emit<esp::matmul_>(p.nodes, square, 0, updated.id, old.id));  // a later group
  program_passes const r{*p.program, layout};
  BOOST_TEST(!r.to->direct[updated.id]);
  BOOST_REQUIRE(r.to->copy_count == 1);
  BOOST_TEST(is_at(r.to->copies[0].from, -1, updated.id));
  BOOST_TEST(is_at(r.to->copies[0].to, plan::base::parameters, 0));
}

// The old state is a result, too: it is copied before the end overwrites it.
BOOST_AUTO_TEST_CASE(old_state_is_copied_first) {
  built_program p;
  handle const x = p.argument(0, vector), old = p.buffer(0, vector), updated = old + x;
  p.program->add_output(updated.id, destination::buffer, 0);
  p.result(old);
  program_passes const r{*p.program, layout};
  BOOST_REQUIRE(r.to->copy_count == 2);
  BOOST_TEST(is_at(r.to->copies[0].from, plan::base::buffers, 128));
  BOOST_TEST(is_at(r.to->copies[0].to, plan::base::results, 0));
  BOOST_TEST(is_at(r.to->copies[1].from, -1, updated.id));
}

// A workspace value that a group reads last, element by element, is overwritten by the group's own.
BOOST_AUTO_TEST_CASE(workspace_is_reused_in_place) {
  extents const square{2, {8, 8}};
  built_program p;
  handle const x = p.argument(0, square), w = p.argument(1, square);
  auto const product = [&](handle a, handle b) {
    return operation::emit<esp::matmul_>(p.nodes, square, 0, a.id, b.id);
  };
  handle const a = product(x, w), moved{&p.nodes, operation::emit_permute(p.nodes, a.id, 0x01)};
  handle const sum = tanh(moved + a);
  p.result(product(sum, sum));
  program_passes const r{*p.program, layout};
  for (int id = 1; id <= p.nodes.size; ++id) {
    int const from = r.to->in_place_of[id];
    if (from == 0) continue;
    BOOST_TEST(r.merged->size_of[from] == r.merged->size_of[id]);
    BOOST_TEST(r.live->last_use[from] == r.merged->group_of[id]);
    BOOST_TEST((r.to->late[id] && !r.to->direct[id]));
  }
  BOOST_TEST(r.to->in_place_of[sum.id] != 0);
}

namespace {
struct sums_of_parts {  // (1, 32): four parts of a row are runs of it
  constexpr auto operator()(auto x) const {
    auto const y = exp(x);
    auto const part = [&]<int I>(std::integral_constant<int, I>) { return esp::slice<1, 8 * I, 8 * I + 8>(y); };
    return sigmoid(part(std::integral_constant<int, 0>{})) * part(std::integral_constant<int, 1>{}) +
           tanh(part(std::integral_constant<int, 2>{})) * part(std::integral_constant<int, 3>{});
  }
};
struct small_part {  // a ninth of the value: it is copied, and the rest of the value dies
  constexpr auto operator()(auto x) const { return tanh(esp::slice<1, 8, 16>(exp(x))); }
};
struct columns {  // of two rows: no run
  constexpr auto operator()(auto x) const { return tanh(esp::slice<1, 8, 16>(exp(x))); }
};
struct part_between {  // begins where a device cannot read: at half of 16 bytes
  constexpr auto operator()(auto x) const { return tanh(esp::slice<1, 4, 12>(x)); }
};
struct joined_three {
  constexpr auto operator()(auto x) const {
    return exp(esp::concatenate<1>(tanh(x), esp::concatenate<1>(sigmoid(x), x * x)));
  }
};
template <class F, class... X>
int count_of(plan::kernel_kind kind) {
  passes<F, X...> const r;
  int n = 0;
  for (int x = 1; x <= r.merged->group_count; ++x) n += r.merged->groups[x].kind == kind;
  return n;
}
}  // namespace

BOOST_AUTO_TEST_CASE(runs_of_an_operand_are_read_where_they_lie) {
  BOOST_TEST((count_of<sums_of_parts, real<1, 32>>(plan::kernel_kind::part)) == 4);
  BOOST_TEST((count_of<sums_of_parts, real<1, 32>>(plan::kernel_kind::move)) == 0);
  BOOST_TEST((count_of<small_part, real<1, 72>>(plan::kernel_kind::part)) == 0);
  BOOST_TEST((count_of<columns, real<2, 32>>(plan::kernel_kind::part)) == 0);
  BOOST_TEST((count_of<part_between, real<1, 32>>(plan::kernel_kind::part)) == 0);
}

BOOST_AUTO_TEST_CASE(a_part_has_the_memory_of_its_operand_and_keeps_it) {
  passes<sums_of_parts, real<1, 32>> const r;
  int parts = 0;
  for (int id = 1; id <= r.merged->group_count; ++id) {
    if (r.merged->groups[id].kind != plan::kernel_kind::part) continue;
    int const part = r.merged->groups[id].first, whole = r.merged->holder_of[r.program.nodes[part].operand[0]];
    plan::address const a = r.memory->address_of[part], b = r.memory->address_of[whole];
    BOOST_TEST((a.base == b.base && a.offset == b.offset + 8 * parts++));
    BOOST_TEST(r.to->live.last_use[whole] >= r.to->live.last_use[part]);
  }
  BOOST_TEST(parts == 4);
}

BOOST_AUTO_TEST_CASE(operands_of_a_concatenation_are_written_where_they_belong) {
  passes<joined_three, real<1, 16>> const r;
  int joined = 0;
  for (int x = 1; x <= r.merged->group_count; ++x)
    if (r.merged->groups[x].kind == plan::kernel_kind::concatenate) {
      int const id = r.merged->groups[x].first;
      BOOST_TEST(plan::has_operands_in_place(r.program.nodes, *r.merged, *r.memory, id));
      ++joined;
    }
  BOOST_TEST(joined == 2);
  // An argument has memory of its own.
  passes<joined_three, real<2, 16>> const rows;
  for (int x = 1; x <= rows.merged->group_count; ++x)
    if (rows.merged->groups[x].kind == plan::kernel_kind::concatenate)
      BOOST_TEST(
          !plan::has_operands_in_place(rows.program.nodes, *rows.merged, *rows.memory, rows.merged->groups[x].first));
}

namespace {
/// index_copy<0>(x, index, source) with an index that is argument 3.
handle copy_rows(built_program& p, handle x, handle source) {
  extents const positions{2, {p.nodes[source.id].shape.at[0], 1}};
  handle const index = p.add<esp::label_>(positions, graph::label_attribute({3, false}));
  return p.add<esp::index_copy_>(p.nodes[x.id].shape, graph::axis_attribute(0), x, index, source);
}
constexpr extents rows{2, {16, 8}}, row{2, {1, 8}};
}  // namespace

// A state to which slices are written is written where it is.
BOOST_AUTO_TEST_CASE(slices_are_written_to_a_state) {
  built_program p;
  handle const x = p.argument(0, row), old = p.buffer(1, rows), updated = copy_rows(p, old, x);
  p.program->add_output(updated.id, destination::buffer, 1);
  p.result(exp(updated));
  program_passes const r{*p.program, layout};
  BOOST_TEST(r.to->copy_count == 0);
  BOOST_TEST((r.to->direct[updated.id] && is_at(r.to->address_of[updated.id], plan::base::buffers, 256)));
}

// If the old state is read behind the copy, or slices of it are the source, the new state is copied at the end.
BOOST_AUTO_TEST_CASE(slices_of_a_state_that_is_still_read) {
  {
    built_program p;
    handle const x = p.argument(0, row), old = p.buffer(1, rows), updated = copy_rows(p, old, x);
    p.program->add_output(updated.id, destination::buffer, 1);
    p.result(updated * old);
    program_passes const r{*p.program, layout};
    BOOST_TEST((!r.to->direct[updated.id] && r.to->copy_count == 1));
  }
  for (bool const all : {false, true}) {
    built_program p;
    handle const old = p.buffer(1, rows), updated = copy_rows(p, old, all ? old : esp::slice<0, 0, 1>(old));
    p.program->add_output(updated.id, destination::buffer, 1);
    program_passes const r{*p.program, layout};
    BOOST_TEST((!r.to->direct[updated.id] && r.to->copy_count == 1));
  }
}

// A value that dies at the copy is overwritten in the workspace, or computed in the memory of the result.
BOOST_AUTO_TEST_CASE(slices_are_written_to_a_value_that_dies) {
  built_program p;
  handle const x = p.argument(0, rows), a = exp(x), b = copy_rows(p, a, p.argument(1, row)), c = exp(b),
               d = copy_rows(p, c, p.argument(2, row));
  p.result(d);
  program_passes const r{*p.program, layout};
  BOOST_TEST(r.to->in_place_of[b.id] == a.id);
  BOOST_TEST((r.to->direct[c.id] && is_at(r.to->address_of[c.id], plan::base::results, 0)));
  BOOST_TEST(is_at(r.memory->address_of[d.id], plan::base::results, 0));
  BOOST_TEST((r.memory->address_of[b.id].offset == r.memory->address_of[a.id].offset));
}
BOOST_AUTO_TEST_CASE(slices_of_a_value_that_is_still_read) {
  built_program p;
  handle const x = p.argument(0, rows), a = exp(x), b = copy_rows(p, a, p.argument(1, row));
  p.result(b * a, 0);
  handle const c = tanh(x), d = copy_rows(p, c, p.argument(2, row));
  p.result(d, 1);
  p.result(tanh(d) + c, 2);
  program_passes const r{*p.program, layout};
  BOOST_TEST(r.to->in_place_of[b.id] == 0);
  BOOST_TEST((r.memory->address_of[a.id].offset != r.memory->address_of[b.id].offset));
  BOOST_TEST(r.memory->address_of[c.id].base == plan::base::workspace);
}

// b and a concatenation of y and a are one more: y is two levels deep, and is read behind the last reader of the whole.
BOOST_AUTO_TEST_CASE(a_concatenation_lives_as_long_as_what_is_two_levels_deep_in_it) {
  built_program p;
  handle const x = p.argument(0, vector), y = tanh(x), a = exp(x), b = sigmoid(x);
  handle const inner = p.add<esp::concatenate_>({1, {64}}, 0, y, a);
  handle const outer = p.add<esp::concatenate_>({1, {96}}, 0, b, inner);
  handle const total{&p.nodes, esp::detail::reduce<esp::sum_>(p.nodes, outer.id, 1u, {1, {1}})};
  p.result(total, 0);
  p.result(y * tanh(total), 1);
  program_passes const r{*p.program, layout};
  BOOST_REQUIRE((r.to->placed_in[y.id] == inner.id && r.to->placed_in[inner.id] == outer.id));
  BOOST_TEST(r.to->live.last_use[outer.id] >= r.to->live.last_use[y.id]);
  BOOST_TEST(r.live->last_use[y.id] > r.live->last_use[outer.id]);
}

// A norm about the running mean: kernels keep sums over rows in the memory of the new value from the first row on.
BOOST_AUTO_TEST_CASE(a_state_with_one_value_per_column_is_not_overwritten_by_sums_over_rows_that_need_it) {
  built_program p;
  constexpr extents samples{2, {8, 40}}, per_column{2, {1, 40}};
  handle const x = p.argument(0, samples), seen = p.buffer(0, per_column), d = x - seen;
  auto const sum = [&](handle v) {
    return handle{&p.nodes, esp::detail::reduce<esp::sum_>(p.nodes, v.id, 1u, per_column)};
  };
  p.result(d / (sum(d * d) + 1.0));
  handle const next = sum(tanh(d));
  p.program->add_output(next.id, destination::buffer, 0);
  program_passes const r{*p.program, layout};
  BOOST_TEST(!r.to->direct[next.id]);
  BOOST_TEST(r.to->copy_count == 1);
}

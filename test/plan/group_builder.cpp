// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_group_builder
#include <boost/test/unit_test.hpp>

#include <espalier/plan/group_builder.hpp>

#include "support/built_program.hpp"

using namespace espalier;
using plan::extent_class;
using plan::kernel_kind;
using test::built_program;

namespace {
constexpr extents vector{1, {24}};

/// What the passes inherit.
struct builder : plan::group_builder {
  builder(graph::node_table const& g, plan::grouping& r) : group_builder{g, r} {}
  using group_builder::add_member;
  using group_builder::deferred_columns;
  using group_builder::deferred_instructions_of;
  using group_builder::inline_deferred;
  using group_builder::max_deferred_instructions;
  using group_builder::new_group;
};

/// e = exp(x), s = e + x, t = tanh(s), all deferred; u = s * t reads two of them.
struct deferred_program : built_program {
  handle x = argument(0, vector), e = exp(x), s = e + x, t = tanh(s), u = s * t;
  std::unique_ptr<plan::grouping> r = std::make_unique<plan::grouping>();
  std::unique_ptr<builder> b = std::make_unique<builder>(nodes, *r);

  deferred_program() {
    result(u);
    plan::look_up_needed(nodes, *r, program->outputs, program->output_count);
    for (handle const h : {e, s, t}) r->deferred[h.id] = true;
  }
  plan::use read(handle h) const { return {h.id, extent_class::full, 0, 0}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(members_are_a_chain_in_their_order) {
  deferred_program p;
  int const x = p.b->new_group(kernel_kind::fused, 24, 4, 6, 2);
  BOOST_TEST(x == 1);
  plan::group const& g = p.r->groups[x];
  BOOST_TEST((g.size == 24 && g.rows == 4 && g.columns == 6 && g.segments == 2 && g.count == 0 && g.first == 0));
  p.b->add_member(x, p.e.id, extent_class::full);
  p.b->add_member(x, p.t.id, extent_class::row);
  BOOST_TEST((g.first == p.e.id && g.last == p.t.id && g.count == 2));
  BOOST_TEST((p.r->next[p.e.id] == p.t.id && p.r->next[p.t.id] == 0));
  BOOST_TEST((p.r->group_of[p.t.id] == x && p.r->extent_of[p.t.id] == extent_class::row));
  BOOST_TEST(p.b->new_group(kernel_kind::contraction, 1, 1, 1) == 2);
}

// A table that is full is reported, and the last group is used again.
BOOST_AUTO_TEST_CASE(too_many_groups) {
  deferred_program p;
  for (int i = 1; i < plan::max_groups; ++i) BOOST_REQUIRE(p.b->new_group(kernel_kind::fused, 1, 1, 1) == i);
  BOOST_TEST(!p.r->full);
  BOOST_TEST(p.b->new_group(kernel_kind::fused, 1, 1, 1) == plan::max_groups - 1);
  BOOST_TEST(p.r->full);
}

// Values that several operands have in common are counted once, and each question counts anew.
BOOST_AUTO_TEST_CASE(instructions_of_deferred_operands) {
  deferred_program p;
  plan::use const both[] = {p.read(p.s), p.read(p.t)};
  BOOST_TEST(p.b->deferred_instructions_of(both, 1) == 2);      // e, s
  BOOST_TEST(p.b->deferred_instructions_of(both + 1, 1) == 3);  // and t
  BOOST_TEST(p.b->deferred_instructions_of(both, 2) == 3);
  plan::use const leaf[] = {p.read(p.x)};
  BOOST_TEST(p.b->deferred_instructions_of(leaf, 1) == 0);
  static_assert(3 * builder::max_deferred_instructions < plan::max_instructions);
}

BOOST_AUTO_TEST_CASE(a_deferred_value_comes_with_what_it_is_made_of) {
  deferred_program p;
  int const x = p.b->new_group(kernel_kind::fused, 24, 0, 0);
  p.b->inline_deferred(x, p.t.id, extent_class::full);
  plan::group const& g = p.r->groups[x];
  BOOST_TEST((g.first == p.e.id && g.last == p.t.id && g.count == 3));  // operands first
  for (handle const h : {p.e, p.s, p.t}) {
    BOOST_TEST(!p.r->deferred[h.id]);
    BOOST_TEST(p.r->group_of[h.id] == x);
  }
  BOOST_TEST(p.r->group_of[p.x.id] == 0);
}

BOOST_AUTO_TEST_CASE(columns_of_a_deferred_value) {
  deferred_program p;
  BOOST_TEST(p.b->deferred_columns(p.s.id) == 0);  // any split will do
  p.r->deferred_rows[p.s.id] = 4;
  BOOST_TEST(p.b->deferred_columns(p.s.id) == 6);
}

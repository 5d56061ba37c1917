// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_lower
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct norm_and_product {
  constexpr auto operator()(auto x, auto w, auto b) const {
    return esp::softmax(matmul(esp::normalize<-1>(x, 1e-5), w) + b);
  }
};
struct sums_in_both_orders {
  constexpr auto operator()(auto x, auto y) const { return std::tuple{exp(x) * y, y * exp(x)}; }
};
}  // namespace

// An operand is a step before this one, or one of the group's leaves.
BOOST_AUTO_TEST_CASE(operands_are_earlier_steps_or_leaves) {
  passes<norm_and_product, real<4, 6>, real<6, 5>, real<5>> const p;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    plan::kernel_body const& k = p.ir->groups[x];
    BOOST_TEST(k.instructions > 0);
    for (int i = 0; i < k.instructions; ++i) {
      plan::ir_instruction const& s = p.ir->instructions[k.first_instruction + i];
      for (int operand : s.operand) {
        BOOST_TEST(operand < i);
        BOOST_TEST(-1 - operand < k.operands);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_group_reads_each_leaf_once) {
  passes<norm_and_product, real<4, 6>, real<6, 5>, real<5>> const p;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    plan::kernel_body const& k = p.ir->groups[x];
    for (int i = 0; i < k.operands; ++i)
      for (int j = 0; j < i; ++j) {
        plan::ir_operand const &a = p.ir->operands[k.first_operand + i], &b = p.ir->operands[k.first_operand + j];
        BOOST_TEST(!(a.node == b.node && a.extent == b.extent && a.kind == b.kind && a.bits == b.bits));
      }
  }
}

// The order in which a commutative op was written does not show.
BOOST_AUTO_TEST_CASE(commutative_ops_are_one) {
  passes<sums_in_both_orders, real<4, 6>, real<4, 6>> const p;
  BOOST_TEST(p.nodes_of("multiply").size() == 1u);
}

BOOST_AUTO_TEST_CASE(pieces_make_the_same_code) {
  passes<norm_and_product, real<4, 6>, real<6, 5>, real<5>> const p;
  for (int const instructions : {1, 3, 7}) {
    std::unique_ptr<plan::lowered> r(new plan::lowered{{}, 1});
    int pieces = 0;
    for (; r->next != 0; ++pieces) *r = plan::lower_piece(p.program, *p.merged, *p.recomputation, *r, instructions);
    BOOST_TEST(pieces >= 1);
    BOOST_TEST(r->ir.instruction_count == p.ir->instruction_count);
    BOOST_TEST(r->ir.operand_count == p.ir->operand_count);
    for (int i = 0; i < p.ir->instruction_count; ++i)
      for (int k = 0; k < 3; ++k) BOOST_TEST(r->ir.instructions[i].operand[k] == p.ir->instructions[i].operand[k]);
  }
}

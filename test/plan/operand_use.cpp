// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_operand_use
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct norm_of_rows {
  constexpr auto operator()(auto x, auto w) const { return (x - esp::mean<1>(x, esp::keepdims)) * w; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(broadcasts_are_read_as_what_they_repeat) {
  passes<norm_of_rows, real<4, 6>, real<6>> const p;
  plan::operand_uses const uses{p.program.nodes, *p.merged};
  int rows = 0, columns = 0;
  for (int id = 1; id <= p.program.nodes.size; ++id) {
    if (!p.merged->needed[id] || p.merged->family_of[id] != op_family::broadcast) continue;
    plan::use const u = uses.of(id, 24, p.merged->group_count);
    BOOST_TEST(u.source == p.merged->holder_of[p.program.nodes[id].operand[0]]);
    BOOST_TEST(u.rows == 4);
    BOOST_TEST(u.columns == 6);
    rows += u.extent == plan::extent_class::row;
    columns += u.extent == plan::extent_class::column;
  }
  BOOST_TEST(rows == 1);     // the mean of each row
  BOOST_TEST(columns == 1);  // w
}

BOOST_AUTO_TEST_CASE(other_operands_are_read_in_full) {
  passes<norm_of_rows, real<4, 6>, real<6>> const p;
  plan::operand_uses const uses{p.program.nodes, *p.merged};
  for (int id : p.nodes_of("multiply"))
    for (int k = 0; k < 2; ++k) {
      int const operand = p.program.nodes[id].operand[k];
      if (p.merged->family_of[operand] == op_family::broadcast) continue;
      plan::use const u = uses.of(operand, 24, plan::operand_uses::no_group);
      BOOST_TEST((u.extent == plan::extent_class::full));
      BOOST_TEST(u.source == p.merged->holder_of[operand]);
    }
}

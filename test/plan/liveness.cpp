// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_liveness
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct deep {
  constexpr auto operator()(auto x, auto w) const {
    auto const a = esp::tanh(matmul(x, w));
    auto const b = esp::tanh(matmul(a, w));
    auto const c = esp::tanh(matmul(b, w)) + a;
    return matmul(c, w);
  }
};
struct chain {
  constexpr auto operator()(auto x) const { return tanh(exp(x) + 1); }
};
struct norm_of_columns {
  constexpr auto operator()(auto x) const {
    auto const y = esp::softmax(x);
    return std::tuple{y, esp::sum<0>(y * x)};
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_value_lives_until_its_last_reader) {
  passes<deep, real<8, 8>, real<8, 8>> const p;
  std::vector<int> last(static_cast<std::size_t>(p.program.nodes.size) + 1);
  for (int x = 1; x <= p.merged->group_count; ++x) {
    plan::kernel_body const& k = p.ir->groups[x];
    for (int i = 0; i < k.operands; ++i) last[static_cast<std::size_t>(p.ir->operands[k.first_operand + i].node)] = x;
  }
  for (int id = 1; id <= p.program.nodes.size; ++id) {
    int const reader = last[static_cast<std::size_t>(id)];
    BOOST_TEST(p.live->last_use[id] == reader);
    BOOST_TEST(p.live->stored[id] == (reader != 0));
  }
  BOOST_TEST(p.live->last_use[p.nodes_of("argument")[1]] == p.merged->group_count);  // w
}

// What one group computes and reads itself stays in registers.
BOOST_AUTO_TEST_CASE(values_inside_a_group_need_no_memory) {
  passes<chain, real<8>> const p;
  BOOST_TEST(p.merged->group_count == 1);
  for (char const* op : {"exp", "add", "tanh"}) BOOST_TEST(!p.live->stored[p.nodes_of(op).front()], op);
  BOOST_TEST(p.live->stored[p.nodes_of("argument").front()]);
}

// A group that runs row by row adds sums over rows in memory, also where no other group reads them.
BOOST_AUTO_TEST_CASE(sums_over_rows_are_accumulated_in_memory) {
  passes<norm_of_columns, real<8, 6>> const p;
  int accumulated = 0;
  for (int id = 1; id <= p.program.nodes.size; ++id) {
    int const x = p.merged->group_of[id];
    if (x == 0 || p.merged->family_of[id] != op_family::reduction) continue;
    if (p.merged->groups[x].order != plan::loop_order::rows || p.merged->extent_of[id] != plan::extent_class::column)
      continue;
    BOOST_TEST(p.live->stored[id]);
    ++accumulated;
  }
  BOOST_TEST(accumulated == 1);
}

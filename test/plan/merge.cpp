// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_merge
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct largest_and_all {
  constexpr auto operator()(auto x) const { return std::tuple{esp::sum<1>(exp(x)), esp::max<1>(x), x * 2.0f}; }
};
struct sums_behind_product {
  constexpr auto operator()(auto x, auto w) const {
    auto const y = matmul(x, w);
    return esp::sum<1>(exp(y)) + esp::sum<1>(tanh(y));
  }
};
struct other_sizes {
  constexpr auto operator()(auto x, auto y) const { return std::tuple{exp(x), exp(y)}; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(groups_that_read_the_same_operand_become_one) {
  passes<largest_and_all, real<4, 6>> const p;
  BOOST_TEST(p.groups->group_count > 1);
  BOOST_TEST(p.merged->group_count == 1);
}

// Each sum reads another value that the product's kernel computes behind the product.
BOOST_AUTO_TEST_CASE(groups_that_read_values_behind_one_product_become_one) {
  passes<sums_behind_product, real<4, 6>, real<6, 8>> const p;
  BOOST_TEST(p.groups->group_count == 3);
  BOOST_TEST(p.merged->group_count == 2);
}

BOOST_AUTO_TEST_CASE(groups_of_other_sizes_stay_apart) {
  passes<other_sizes, real<4, 6>, real<7>> const p;
  BOOST_TEST(p.groups->group_count == 2);
  BOOST_TEST(p.merged->group_count == 2);
}

BOOST_AUTO_TEST_CASE(each_member_is_in_one_group) {
  passes<largest_and_all, real<4, 6>> const p;
  int members = 0;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    int count = 0;
    for (int id = p.merged->groups[x].first; id != 0; id = p.merged->next[id], ++count)
      BOOST_TEST(p.merged->group_of[id] == x);
    BOOST_TEST(count == p.merged->groups[x].count);
    members += count;
  }
  int grouped = 0;
  for (int id = 1; id <= p.program.nodes.size; ++id) grouped += p.merged->group_of[id] != 0;
  BOOST_TEST(members == grouped);
}

BOOST_AUTO_TEST_CASE(the_order_and_extents_of_every_loop_are_decided) {
  passes<other_sizes, real<4, 6>, real<7>> const p;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    BOOST_TEST((p.merged->groups[x].order != plan::loop_order::any));
    BOOST_TEST(std::int64_t{p.merged->groups[x].rows} * p.merged->groups[x].columns == p.merged->groups[x].size);
  }
}

// The argument is const: a pass leaves what it was given as it was.
BOOST_AUTO_TEST_CASE(merging_twice_gives_the_same) {
  passes<largest_and_all, real<4, 6>> const p;
  std::unique_ptr<plan::grouping const> const again{new plan::grouping(plan::merge_groups(p.program, *p.groups))};
  for (int id = 1; id <= p.program.nodes.size; ++id) BOOST_TEST(again->group_of[id] == p.merged->group_of[id]);
}

namespace {
struct gates {
  constexpr auto operator()(auto x, auto c) const {
    auto const part = [&]<int I>(std::integral_constant<int, I>) { return esp::slice<1, 8 * I, 8 * I + 8>(x); };
    return sigmoid(part(std::integral_constant<int, 1>{})) * c +
           sigmoid(part(std::integral_constant<int, 0>{})) * tanh(part(std::integral_constant<int, 2>{}));
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(groups_that_a_third_reads_become_one) {
  passes<gates, real<1, 24>, real<1, 8>> const p;
  int fused = 0;
  for (int x = 1; x <= p.merged->group_count; ++x) fused += p.merged->groups[x].kind == plan::kernel_kind::fused;
  BOOST_TEST(fused == 1);
}

namespace {
// Stages of a Runge-Kutta step. Each reads x beside what the stage before computed, and the sum reads all stages. The
// group of a stage joins that of another one, but only an earlier one: those behind it read what it computes.
struct stages {
  static constexpr auto change(auto const& x) {
    auto const [first, second] = esp::split<0, 1, 1>(x);
    return esp::concatenate<0>(second, -sin(first));
  }
  constexpr auto operator()(auto x) const {
    auto const one = change(x), two = change(x + one * 0.5f), three = change(x + two * 0.5f), four = change(x + three);
    return x + (one + 2 * two + 2 * three + four) * 0.25f;
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(each_group_runs_behind_those_that_it_reads) {
  passes<stages, real<2>> const p;
  for (int id = 1; id <= p.program.nodes.size; ++id)
    for (int operand : p.program.nodes[id].operand)
      BOOST_TEST(p.merged->group_of[operand] <= p.merged->group_of[id], id << " reads " << operand);
}

namespace {
// The second group reads a part of what the first computes: it cannot run inside it.
struct part_of_own {
  constexpr auto operator()(auto x) const {
    auto const y = exp(x);
    return std::tuple{y, sigmoid(x) * 2.0f, tanh(esp::slice<1, 8, 16>(y)) * esp::slice<1, 0, 8>(y)};
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_part_is_read_behind_the_group_that_computes_its_whole) {
  passes<part_of_own, real<1, 16>> const p;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    if (p.merged->groups[x].kind != plan::kernel_kind::fused) continue;
    plan::kernel_body const& k = p.ir->groups[x];
    for (int i = 0; i < k.operands; ++i) {
      int const id = p.ir->operands[k.first_operand + i].node;
      if (id == 0 || p.program.nodes[id].op->name != std::string_view("move")) continue;
      int const whole = p.merged->holder_of[p.program.nodes[id].operand[0]];
      BOOST_TEST(p.merged->group_of[whole] < x);
    }
  }
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_device_policy
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

#include <espalier/plan/device_policy.hpp>

using namespace test;

namespace {
template <int... N>
using labels = esp::borrowed<std::int32_t, esp::shape<N...>>;

struct cross_entropy {
  constexpr auto operator()(auto scores, auto y) const { return esp::cross_entropy(scores, y); }
};
struct scores_by_labels {
  constexpr auto operator()(auto scores, auto y) const { return matmul(scores, esp::one_hot<4>(y)); }
};
struct layer {
  constexpr auto operator()(auto x, auto w, auto b) const { return relu(matmul(x, w) + b); }
};
struct bounded_layer {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::tanh(matmul(x, w) + b); }
};
constexpr plan::device_policy none{}, in_place{true, true, false, false}, with_bias{false, false, false, true};

template <class Passes>
std::unique_ptr<plan::device_plan const> made(Passes const& p, plan::device_policy policy) {
  std::unique_ptr<plan::planned> planned{new plan::planned};
  planned->groups = *p.merged;
  planned->ir = *p.kernels;
  planned->memory = *p.memory;
  std::unique_ptr<plan::device_plan> r{new plan::device_plan};
  *r = plan::plan_for_device(p.program, *planned, policy);
  return r;
}
template <class Passes>
int converting_group(Passes const& p) {
  for (int x = 1; x <= p.merged->group_count; ++x)
    if (p.merged->groups[x].kind == plan::kernel_kind::convert) return x;
  return 0;
}
}  // namespace

BOOST_AUTO_TEST_CASE(without_a_policy_all_groups_run_on_numbers_in_memory) {
  passes<cross_entropy, real<4, 6>, labels<4>> const p;
  auto const d = made(p, none);
  for (int x = 1; x <= p.merged->group_count; ++x) {
    BOOST_TEST(d->runs[x]);
    BOOST_TEST(d->kernel[x] == p.kernels->groups[x].kernel);
    BOOST_TEST(!d->epilogue[x].fits);
  }
  for (int i = 0; i < p.kernels->operand_count; ++i) BOOST_TEST((d->kind_of_operand[i] == p.kernels->operands[i].kind));
  BOOST_TEST(d->reporting == 0);
}

BOOST_AUTO_TEST_CASE(labels_that_are_read_in_place_are_not_converted) {
  passes<cross_entropy, real<4, 6>, labels<4>> const p;
  int const x = converting_group(p);
  BOOST_TEST_REQUIRE(x > 0);
  auto const d = made(p, in_place);
  BOOST_TEST(!d->runs[x]);
  int integers = 0;
  for (int i = 0; i < p.kernels->operand_count; ++i)
    if (d->kind_of_operand[i] == plan::operand_kind::integer) {
      ++integers;
      BOOST_TEST((p.program.nodes[d->label_of[i]].op->family == op_family::label));
    }
  BOOST_TEST(integers > 0);
}

// Only the outermost reader decides: what a fused group reads as it is, a library's product reads from memory.
BOOST_AUTO_TEST_CASE(a_group_that_any_reader_needs_in_memory_runs) {
  passes<scores_by_labels, real<3, 5>, labels<5>> const p;
  auto const d = made(p, in_place);
  for (int i = 0; i < p.kernels->operand_count; ++i)
    if (d->kind_of_operand[i] == plan::operand_kind::memory) {
      int const x = p.merged->group_of[p.kernels->operands[i].node];
      if (x != 0) BOOST_TEST(d->runs[x]);
    }
}

BOOST_AUTO_TEST_CASE(a_product_takes_bias_and_relu_and_nothing_else) {
  passes<layer, real<4, 6>, real<6, 5>, real<5>> const p;
  BOOST_TEST(p.merged->group_count == 1);
  BOOST_TEST(!made(p, none)->epilogue[1].fits);
  plan::product_epilogue const e = made(p, with_bias)->epilogue[1];
  BOOST_TEST(e.fits);
  BOOST_TEST(e.relu);
  BOOST_TEST(e.bias >= 0);
  passes<bounded_layer, real<4, 6>, real<6, 5>, real<5>> const other;
  BOOST_TEST(!made(other, with_bias)->epilogue[1].fits);
}

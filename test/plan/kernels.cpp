// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_kernels
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
struct of_other_shapes {
  constexpr auto operator()(auto x, auto v, auto w) const { return matmul(esp::softmax(matmul(x, v)), w); }
};
struct of_other_constants {
  constexpr auto operator()(auto x, auto y, auto z) const { return std::tuple{x * 2.0f, y * 2.0f, z * 3.0f}; }
};
struct of_other_ops {
  constexpr auto operator()(auto x, auto y) const { return std::tuple{exp(x), tanh(y)}; }
};
struct transposed {
  constexpr auto operator()(auto x, auto y) const {
    return std::tuple{matmul(x, y), matmul(y, x), matmul(esp::transpose(x), y)};
  }
};
int distinct(auto const& p) {
  int count = 0;
  for (int x = 1; x <= p.merged->group_count; ++x) count += p.kernels->groups[x].kernel == x;
  return count;
}
}  // namespace

// Layers of one shape run one kernel, on other addresses.
BOOST_AUTO_TEST_CASE(equal_groups_share_a_kernel) {
  passes<deep, real<8, 8>, real<8, 8>> const p;
  BOOST_TEST(p.merged->group_count == 4);
  BOOST_TEST(p.kernels->groups[1].kernel == 1);
  BOOST_TEST(p.kernels->groups[2].kernel == 1);
  BOOST_TEST(p.kernels->groups[3].kernel == 3);  // adds another operand
  BOOST_TEST(p.kernels->groups[4].kernel == 4);  // has no tanh
}

BOOST_AUTO_TEST_CASE(groups_that_differ_have_kernels_of_their_own) {
  passes<of_other_shapes, real<8, 8>, real<8, 4>, real<4, 8>> const shapes;
  BOOST_TEST(distinct(shapes) == shapes.merged->group_count);
  passes<of_other_ops, real<6>, real<5>> const ops;
  BOOST_TEST(ops.merged->group_count == 2);
  BOOST_TEST(distinct(ops) == 2);
  passes<transposed, real<8, 8>, real<8, 8>> const products;
  BOOST_TEST(products.merged->group_count == 3);
  BOOST_TEST(distinct(products) == 2);
}

// The number of elements is part of a kernel, and so are the constants in it.
BOOST_AUTO_TEST_CASE(constants_are_part_of_a_kernel) {
  passes<of_other_constants, real<6>, real<6, 1>, real<1, 6>> const p;
  BOOST_TEST(p.merged->group_count == 3);
  BOOST_TEST(distinct(p) == 2);
}

BOOST_AUTO_TEST_CASE(a_shared_kernel_has_the_same_form) {
  passes<deep, real<8, 8>, real<8, 8>> const p;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    plan::kernel_body const &k = p.kernels->groups[x], &same = p.kernels->groups[k.kernel];
    BOOST_TEST(k.kernel <= x);
    BOOST_TEST(same.kernel == k.kernel);
    BOOST_TEST((k.instructions == same.instructions && k.operands == same.operands && k.outputs == same.outputs));
  }
}

// Each stored value is the output of the group that computes it, once.
BOOST_AUTO_TEST_CASE(outputs_are_the_stored_members) {
  passes<deep, real<8, 8>, real<8, 8>> const p;
  int stored = 0;
  for (int id = 1; id <= p.program.nodes.size; ++id) stored += p.merged->group_of[id] != 0 && p.to->live.stored[id];
  int outputs = 0;
  for (int x = 1; x <= p.merged->group_count; ++x) {
    plan::kernel_body const& k = p.kernels->groups[x];
    for (int i = 0; i < k.outputs; ++i, ++outputs) {
      int const id = p.kernels->outputs[k.first_output + i];
      BOOST_TEST(p.merged->group_of[id] == x);
      BOOST_TEST(p.to->live.stored[id]);
    }
  }
  BOOST_TEST(outputs == stored);
  BOOST_TEST(outputs == p.kernels->output_count);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_recompute
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct squares {
  constexpr auto operator()(auto x, auto w) const { return esp::sum(matmul(esp::normalize<-1>(x, 1e-5), w)); }
};
struct gradients {
  constexpr auto operator()(auto x, auto w) const {
    return std::tuple{esp::grad<0>(squares{})(x, w), esp::grad<1>(squares{})(x, w)};
  }
};
struct squared_difference {
  constexpr auto operator()(auto x, auto w) const {
    auto const y = esp::relu(x - 1.0f);
    return esp::sum(matmul(y, w)) + esp::sum(matmul(esp::transpose(w), esp::transpose(y)));
  }
};
struct with_result {
  constexpr auto operator()(auto x) const {
    auto const y = esp::normalize<-1>(x, 1e-5);
    return std::tuple{y, esp::softmax<0>(y)};
  }
};
/// The squares for the norm, and the products with the gradient of its result, are computed behind the first product.
struct norm_of_product {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return sum(dy * esp::rms_normalize<-1>(matmul(x, w), 1e-5));
  }
};
struct gradients_of_norm {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return std::tuple{esp::grad<0>(norm_of_product{})(x, w, dy), esp::grad<1>(norm_of_product{})(x, w, dy)};
  }
};
struct squares_of_product {
  constexpr auto operator()(auto x, auto w) const { return esp::sum<1>(square(matmul(x, w))); }
};
/// A convolution of one channel per group reads what it multiplies where windows show it.
struct windows_of_residual_sum {
  constexpr auto operator()(auto x, auto w, auto k) const {
    auto const y = esp::reshape<2, 5, 6, 8>(matmul(esp::reshape<60, 8>(x), w)) + x;
    return esp::conv2d<esp::convolution{.groups = 8}>(y, k);
  }
};
int recomputed_nodes(auto const& p) {
  int count = 0;
  for (int id = 1; id <= p.program.nodes.size; ++id) count += p.recomputation->by_readers[id];
  return count;
}
}  // namespace

// A value that a later group has from one operand in a few cheap steps is not written.
BOOST_AUTO_TEST_CASE(what_is_recomputed_has_no_memory) {
  passes<gradients, real<8, 6>, real<6, 5>> const p;
  BOOST_TEST(p.recomputation->any == (recomputed_nodes(p) > 0));
  for (int id = 1; id <= p.program.nodes.size; ++id)
    if (p.recomputation->by_readers[id]) BOOST_TEST(!p.memory->stored[id]);
}

// A product reads whole matrices: its operand is written, whatever it would cost to compute it again.
BOOST_AUTO_TEST_CASE(operands_of_products_are_not_recomputed) {
  passes<squared_difference, real<8, 6>, real<6, 8>> const p;
  for (int id : p.nodes_of("matmul"))
    for (int k = 0; k < 2; ++k)
      BOOST_TEST(!p.recomputation->by_readers[p.merged->holder_of[p.program.nodes[id].operand[k]]]);
}

BOOST_AUTO_TEST_CASE(results_are_not_recomputed) {
  passes<with_result, real<8, 6>> const p;
  for (int i = 0; i < p.program.output_count; ++i)
    BOOST_TEST(!p.recomputation->by_readers[p.merged->holder_of[p.program.outputs[i].id]]);
}

// Each reader of the product has the squares from it: they are in no memory, where 16 bits would not hold them.
BOOST_AUTO_TEST_CASE(values_behind_a_product_that_is_read_too) {
  passes<gradients_of_norm, real<6, 8>, real<8, 64>, real<6, 64>> const p;
  int const product = p.nodes_of("matmul").front(), x = p.merged->group_of[product];
  BOOST_REQUIRE(x > 0);
  BOOST_TEST((p.merged->next[product] != 0));
  int unneeded = 0;
  for (int id = p.merged->next[product]; id != 0; id = p.merged->next[id]) {
    BOOST_TEST(!p.memory->stored[id]);
    BOOST_TEST(p.ir->local[id] == -1);
    unneeded += p.recomputation->unneeded[id];
  }
  BOOST_TEST(unneeded >= 2);
  BOOST_TEST(p.ir->groups[x].instructions == 1);
  BOOST_TEST(p.memory->stored[product]);
}

// A product that nothing else reads is not written for them.
BOOST_AUTO_TEST_CASE(values_behind_a_product_that_is_not_read) {
  passes<squares_of_product, real<6, 8>, real<8, 64>> const p;
  BOOST_TEST(recomputed_nodes(p) == 0);
  BOOST_TEST(!p.memory->stored[p.nodes_of("matmul").front()]);
}

BOOST_AUTO_TEST_CASE(what_windows_read_is_stored) {
  passes<windows_of_residual_sum, real<2, 5, 6, 8>, real<8, 8>, real<3, 3, 1, 8>> const p;
  int const sum = p.nodes_of("add").front();
  BOOST_TEST((p.merged->groups[p.merged->group_of[sum]].kind == plan::kernel_kind::contraction));
  BOOST_TEST(!p.recomputation->unneeded[sum]);
  BOOST_TEST(p.memory->stored[sum]);
  BOOST_TEST(p.ir->local[sum] >= 0);
}

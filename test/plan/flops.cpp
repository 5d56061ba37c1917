// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_flops
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct product {
  constexpr auto operator()(auto x, auto w) const { return matmul(x, w); }
};
struct of_transposed {
  constexpr auto operator()(auto x, auto w) const { return matmul(esp::transpose(x), w); }
};
struct sum_of_squares {
  constexpr auto operator()(auto x) const { return esp::sum(x * x); }
};
struct moved {
  constexpr auto operator()(auto x) const { return esp::transpose(x); }
};
struct unused {
  constexpr auto operator()(auto x, auto y) const {
    auto const without_a_reader = exp(y) * y;
    (void)without_a_reader;
    return x + 1;
  }
};
std::int64_t flops(auto const& p) { return plan::flops_of(p.program.nodes, *p.merged); }
}  // namespace

BOOST_AUTO_TEST_CASE(two_for_each_term_of_a_product) {
  BOOST_TEST(flops(passes<product, real<3, 4>, real<4, 5>>{}) == 2 * 3 * 4 * 5);
  BOOST_TEST(flops(passes<product, real<7, 3, 4>, real<4, 5>>{}) == 2 * 7 * 3 * 4 * 5);
  BOOST_TEST(flops(passes<of_transposed, real<4, 3>, real<4, 5>>{}) == 2 * 3 * 4 * 5);
}

BOOST_AUTO_TEST_CASE(one_for_each_element) { BOOST_TEST(flops(passes<sum_of_squares, real<6, 8>>{}) == 6 * 8 + 6 * 8); }

BOOST_AUTO_TEST_CASE(moving_computes_nothing) { BOOST_TEST(flops(passes<moved, real<6, 8>>{}) == 0); }

BOOST_AUTO_TEST_CASE(only_what_a_kernel_computes) {
  passes<unused, real<6>, real<100>> const p;
  BOOST_TEST(flops(p) == 6);
  BOOST_TEST(plan::flops_of(p.program.nodes, *p.merged, p.nodes_of("add").front()) == 6);
  BOOST_TEST(plan::flops_of(p.program.nodes, *p.merged, p.nodes_of("argument").front()) == 0);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_group
#include <boost/test/unit_test.hpp>

#include "support/passes.hpp"

using namespace test;

namespace {
struct chain {
  constexpr auto operator()(auto x, auto y) const { return exp(relu(x) * y + 1.0f); }
};
struct product_with_bias {
  constexpr auto operator()(auto x, auto w, auto b) const { return relu(matmul(x, w) + b); }
};
struct convolution_with_bias {
  constexpr auto operator()(auto x, auto w, auto b, auto z) const {
    return relu(conv2d<esp::convolution{.padding = 1}>(x, w) + b) + z;
  }
};
/// The gradient of the kernels, times a number: its sums are complete after the last image.
struct scaled_kernel_gradient {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    auto const loss = [](auto v, auto k, auto d) { return sum(conv2d<esp::convolution{.padding = 1}>(v, k) * d); };
    return w - esp::grad<1>(loss)(x, w, dy) * 0.1f;
  }
};
struct rows_then_columns {
  constexpr auto operator()(auto x) const { return esp::softmax(x) * esp::sum<0>(x); }
};
struct two_products {
  constexpr auto operator()(auto x, auto w, auto v) const { return matmul(esp::tanh(matmul(x, w)), v) + 1.0f; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(elementwise_ops_of_one_shape_are_one_group) {
  passes<chain, real<4, 6>, real<4, 6>> const p;
  BOOST_TEST(p.groups->group_count == 1);
  BOOST_TEST((p.groups->groups[1].kind == plan::kernel_kind::fused));
  BOOST_TEST(p.groups->groups[1].count == 4);
  for (int id : p.nodes_of("exp")) BOOST_TEST(p.groups->group_of[id] == 1);
}

BOOST_AUTO_TEST_CASE(what_follows_a_product_joins_it) {
  passes<product_with_bias, real<4, 6>, real<6, 5>, real<5>> const p;
  BOOST_TEST(p.groups->group_count == 1);
  BOOST_TEST((p.groups->groups[1].kind == plan::kernel_kind::contraction));
  BOOST_TEST(p.groups->groups[1].rows == 4);
  BOOST_TEST(p.groups->groups[1].columns == 5);
}

BOOST_AUTO_TEST_CASE(what_follows_a_convolution_joins_it) {
  passes<convolution_with_bias, real<2, 7, 6, 8>, real<3, 3, 8, 5>, real<5>, real<2, 7, 6, 5>> const p;
  BOOST_TEST(p.groups->group_count == 1);
  BOOST_TEST((p.groups->groups[1].kind == plan::kernel_kind::contraction));
  BOOST_TEST(p.groups->groups[1].windowed);
  BOOST_TEST(p.groups->groups[1].rows == 2 * 7 * 6);
  BOOST_TEST(p.groups->groups[1].columns == 5);
  passes<scaled_kernel_gradient, real<2, 7, 6, 8>, real<3, 3, 8, 5>, real<2, 7, 6, 5>> const q;
  BOOST_TEST(q.groups->group_count == 2);
}

BOOST_AUTO_TEST_CASE(two_products_are_two_groups_in_their_order) {
  passes<two_products, real<4, 6>, real<6, 5>, real<5, 3>> const p;
  BOOST_TEST(p.groups->group_count == 2);
  auto const products = p.nodes_of("matmul");
  BOOST_TEST_REQUIRE(products.size() == 2u);
  BOOST_TEST(p.groups->group_of[products[0]] == 1);
  BOOST_TEST(p.groups->group_of[products[1]] == 2);
}

// Every operand has its memory from an earlier group, or is computed in the same one.
BOOST_AUTO_TEST_CASE(no_group_reads_from_a_later_one) {
  passes<rows_then_columns, real<4, 6>> const p;
  for (plan::grouping const* r : {p.groups.get(), p.merged.get()})
    for (int id = 1; id <= p.program.nodes.size; ++id) {
      if (r->group_of[id] == 0) continue;
      for (int k = 0; k < 3; ++k)
        BOOST_TEST(r->group_of[r->holder_of[p.program.nodes[id].operand[k]]] <= r->group_of[id]);
    }
}

// A program is grouped in pieces, so that each is an evaluation of its own: with any pieces the groups are the same.
BOOST_AUTO_TEST_CASE(pieces_make_the_same_groups) {
  passes<rows_then_columns, real<4, 6>> const p;
  for (int const piece : {1, 2, 5}) {
    std::unique_ptr<plan::grouping> r(new plan::grouping(plan::begin_grouping(p.program)));
    for (int first = 1; first <= p.program.nodes.size; first += piece)
      *r = plan::group_piece(p.program, *r, first, piece);
    *r = plan::end_grouping(p.program, *r);
    BOOST_TEST(r->group_count == p.groups->group_count);
    for (int id = 1; id <= p.program.nodes.size; ++id) {
      BOOST_TEST(r->group_of[id] == p.groups->group_of[id]);
      BOOST_TEST((r->extent_of[id] == p.groups->extent_of[id]));
    }
  }
}

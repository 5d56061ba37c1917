// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE trace_trace
#include "support/check_kernels.hpp"

using namespace test;

namespace {

template <class F, class... X>
int nodes_of(F, bool plain, X const&...) {
  auto p = std::make_unique<graph::program>();
  p->nodes.plain = plain;
  esp::tracing::tracer t{*p, esp::tracing::mode::evaluation, false, 0, 0};
  auto const own = arguments_of<X...>(t);
  (void)esp::tracing::trace_operand(t, std::apply(F{}, own));
  return p->nodes.size;
}
template <class F, class... X>
char const* result_of(F, X const&...) {
  auto p = std::make_unique<graph::program>();
  esp::tracing::tracer t{*p, esp::tracing::mode::evaluation, false, 0, 0};
  auto const own = arguments_of<X...>(t);
  return p->nodes[esp::tracing::trace_operand(t, std::apply(F{}, own))].op->name;
}

inline constexpr auto shares = [](auto x, auto y) { return (x * y) * (x * y) + y * x; };
inline constexpr auto neutral = [](auto x) { return (x + 0) * 1 - 0; };
inline constexpr auto nothing_moved = [](auto x) { return reshape<3, 5>(reshape<15>(transpose(transpose(x)))); };
inline constexpr auto square = [](auto x) { return pow(x, 2); };

}  // namespace

BOOST_AUTO_TEST_CASE(equal_values_are_one_node) {
  auto const x = floats<3, 5>(1);
  BOOST_TEST(nodes_of(shares, false, x, x) == 5);  // two arguments, one product, its square, the sum
}

BOOST_AUTO_TEST_CASE(what_does_nothing_is_gone) {
  auto const x = floats<3, 5>(1);
  BOOST_TEST(result_of(neutral, x) == std::string("argument"));
  BOOST_TEST(result_of(nothing_moved, x) == std::string("argument"));
  BOOST_TEST(result_of(square, x) == std::string("multiply"));
  BOOST_TEST(nodes_of(neutral, true, x) > nodes_of(neutral, false, x) - 1);
}

// What is left out must not have mattered.
BOOST_AUTO_TEST_CASE(simplification_keeps_values) {
  check_kernels("neutral", neutral, floats<3, 5>(1));
  check_kernels("nothing moved", nothing_moved, floats<3, 5>(1));
  check_kernels("shares", shares, floats<3, 5>(1), floats<3, 5>(2));
  check_kernels("square", square, floats<3, 5>(1));
}

// The slices of a long sequence: each map has one number, however many there are, and one too many is a fault of the
// program.
BOOST_AUTO_TEST_CASE(maps_are_numbered_once) {
  auto g = std::make_unique<graph::node_table>();
  auto const slice_from = [](int start) {
    esp::index_map m = esp::identity_map(3);
    m.start[1] = start;
    return m;
  };
  for (int again = 0; again < 2; ++again) {
    bool right = true;
    for (int i = 0; i < graph::max_maps; ++i) right &= g->number_of(slice_from(i)) == i && g->maps[i] == slice_from(i);
    BOOST_TEST(right);
    BOOST_TEST(g->map_count == graph::max_maps);
  }
  BOOST_TEST((g->found == graph::fault::none));
  BOOST_TEST(g->number_of(slice_from(graph::max_maps)) == 0);
  BOOST_TEST((g->found == graph::fault::too_many_maps));
}

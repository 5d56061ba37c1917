// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE derivative_reverse
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <vector>

#include <espalier/derivative/reverse.hpp>
#include <espalier/tracing/interpret.hpp>

#include "support/built_program.hpp"

using namespace espalier;
using derivative::mark;

namespace {
constexpr extents scalar{0, {}};

/// A program, what to differentiate with respect to, and the adjoints.
struct differentiated : test::built_program {
  std::unique_ptr<espalier::derivative::marks> m = std::make_unique<espalier::derivative::marks>();
  std::unique_ptr<espalier::derivative::adjoints> adjoint = std::make_unique<espalier::derivative::adjoints>();

  handle one() { return operation::emit_constant(nodes, 1, scalar); }
  /// The adjoint of x with the root's adjoint 1; id 0: none.
  handle reverse(handle root, handle x) {
    m->at[x.id] = mark::differentiated;
    espalier::derivative::reverse(nodes, root.id, one().id, *m, *adjoint);
    return {&nodes, adjoint->of[x.id]};
  }
  /// The value of a scalar node for scalar arguments.
  double value(handle y, std::vector<double> const& arguments) const {
    std::vector<double const*> pointers;
    for (double const& x : arguments) pointers.push_back(&x);
    tracing::interpreter<double> run{nodes, &y.id, 1};
    run.run({pointers.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
    return *run.value(y.id);
  }
};
auto const near = boost::test_tools::tolerance(1e-12);
}  // namespace

BOOST_AUTO_TEST_CASE(closed_forms) {
  for (double const at : {-1.5, -0.2, 0.0, 0.7, 2.0}) {
    differentiated p;
    handle const x = p.argument(0, scalar);
    handle const d = p.reverse(tanh(x) * x * x + exp(x), x);
    double const t = std::tanh(at);
    BOOST_TEST(p.value(d, {at}) == (1 - t * t) * at * at + 2 * at * t + std::exp(at), near);
  }
}

// The adjoint of a value that several nodes read is the sum of what they contribute.
BOOST_AUTO_TEST_CASE(contributions_are_added) {
  differentiated p;
  handle const x = p.argument(0, scalar), y = p.argument(1, scalar);
  p.m->at[y.id] = mark::differentiated;
  handle const dx = p.reverse(x * y + x * x * x, x), dy{&p.nodes, p.adjoint->of[y.id]};
  BOOST_TEST(p.value(dx, {2, 5}) == 5 + 3 * 4, near);
  BOOST_TEST(p.value(dy, {2, 5}) == 2, near);
}

BOOST_AUTO_TEST_CASE(only_marked_values_have_adjoints) {
  differentiated p;
  handle const x = p.argument(0, scalar), y = p.argument(1, scalar), z = p.argument(2, scalar);
  handle const root = x * y;
  BOOST_TEST(p.reverse(root, x).id != 0);
  BOOST_TEST(p.adjoint->of[y.id] == 0);
  BOOST_TEST(p.adjoint->of[z.id] == 0);

  differentiated independent;
  handle const a = independent.argument(0, scalar), b = independent.argument(1, scalar);
  BOOST_TEST(independent.reverse(b * b, a).id == 0);
}

// d/dx of c x with c = x^2 held constant is c.
BOOST_AUTO_TEST_CASE(values_that_are_held_constant) {
  differentiated p;
  handle const x = p.argument(0, scalar), c = x * x;
  p.m->at[c.id] = mark::constant;
  BOOST_TEST(p.value(p.reverse(c * x, x), {3}) == 9, near);
}

BOOST_AUTO_TEST_CASE(the_root_itself) {
  differentiated p;
  handle const x = p.argument(0, scalar);
  BOOST_TEST(p.reverse(x, x).id == p.one().id);
}

BOOST_AUTO_TEST_CASE(the_seed_is_the_adjoint_of_the_root) {
  differentiated p;
  handle const x = p.argument(0, scalar), seed = p.argument(1, scalar), root = x * x;
  p.m->at[x.id] = mark::differentiated;
  espalier::derivative::reverse(p.nodes, root.id, seed.id, *p.m, *p.adjoint);
  BOOST_TEST(p.value({&p.nodes, p.adjoint->of[x.id]}, {3, 0.5}) == 0.5 * 6, near);
}

// The value of an alias is its first operand; its pullback belongs to the others.
BOOST_AUTO_TEST_CASE(detached_values) {
  differentiated p;
  handle const x = p.argument(0, scalar), root = x * detach(x);
  BOOST_TEST(p.value(p.reverse(root, x), {3}) == 3, near);
}

BOOST_AUTO_TEST_CASE(a_second_derivative_is_the_same_call_again) {
  differentiated p;
  handle const x = p.argument(0, scalar);
  handle const first = p.reverse(x * x * x * x, x);
  p.m = std::make_unique<espalier::derivative::marks>();
  p.adjoint = std::make_unique<espalier::derivative::adjoints>();
  handle const second = p.reverse(first, x);
  BOOST_TEST(p.value(first, {2}) == 32, near);
  BOOST_TEST(p.value(second, {2}) == 48, near);
}

// Long programs are differentiated in pieces, each in a constant evaluation of its own.
BOOST_AUTO_TEST_CASE(ranges_in_a_row_are_one_sweep) {
  auto const chain = [](differentiated& p) {
    handle x = p.argument(0, scalar);
    for (int i = 0; i < 20; ++i) x = tanh(x) * x;
    p.m->at[1] = mark::differentiated;
    return x;
  };
  differentiated once, pieces;
  int const root = chain(once).id;
  espalier::derivative::reverse(once.nodes, root, once.one().id, *once.m, *once.adjoint);
  BOOST_REQUIRE(chain(pieces).id == root);
  espalier::derivative::begin_reverse(pieces.nodes, root, pieces.one().id, *pieces.m, *pieces.adjoint);
  for (int newest = root; newest > 0; newest -= 7)
    espalier::derivative::reverse_range(pieces.nodes, newest, newest > 7 ? newest - 6 : 1, *pieces.m, *pieces.adjoint);
  BOOST_TEST(pieces.nodes.size == once.nodes.size);
  for (int id = 1; id <= root; ++id) BOOST_TEST(pieces.adjoint->of[id] == once.adjoint->of[id]);
}

BOOST_AUTO_TEST_CASE(the_mark_of_a_backward_pass_is_put_back) {
  for (bool const within : {false, true}) {
    differentiated p;
    p.nodes.backward = within;
    handle const x = p.argument(0, scalar);
    (void)p.reverse(x * x, x);
    BOOST_TEST(p.nodes.backward == within);
  }
}

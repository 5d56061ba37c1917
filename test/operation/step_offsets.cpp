// SPDX-License-Identifier: BSL-1.0
// The offsets of a condition on positions are those at which the condition holds, for each pair of positions; a
// condition of another form has none.
#define BOOST_TEST_MODULE operation_step_offsets
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/operation/step_offsets.hpp>

using namespace espalier;

namespace {
constexpr int T = 9;
constexpr auto key = column_index<shape<T, T>>{};
constexpr auto query = reshape<T, 1>(column_index<shape<T>>{});

template <class Condition>
operation::step_offsets found(Condition const& condition, bool negated = false) {
  static graph::program p;
  p = {};
  tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
  int const id = tracing::trace_operand(t, condition);
  return operation::offsets_of(p.nodes, id, {0, 1, 1, T}, negated);
}
/// The condition as it is, and where it does not hold.
template <class Condition>
void check(Condition const& condition, bool both_ways = true) {
  tensor<double, shape<T, T>> const holds = condition + zeros<shape<T, T>>(tensor<double, shape<>>{0});
  for (bool const negated : {false, true}) {
    if (negated && !both_ways) continue;
    operation::step_offsets const o = found(condition, negated);
    BOOST_REQUIRE(o.exists);
    for (int i = 0; i < T; ++i)
      for (int j = 0; j < T; ++j)
        BOOST_TEST((holds(i, j) != 0) == ((j - i >= o.low && j - i <= o.high) != negated),
                   "query " << i << " key " << j);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(comparisons) {
  check(key <= query);
  check(key < query);
  check(query >= key + 2);
  check(query - 3 > key);
  check(key - query <= 1.5);
  check(-(query - key) > -2.5);
  check(key - query >= -3);
  check(2 + key < query + 1 - 4);
  check(equal(key, query - 1), false);
}
BOOST_AUTO_TEST_CASE(conditions_that_hold_together) {
  check((key <= query) * (key > query - 4), false);
  check(minimum(query >= key, query - key < 3), false);
  check((key <= query) * (key > query - 4) * (key >= query - 1), false);
}
BOOST_AUTO_TEST_CASE(conditions_of_other_forms) {
  BOOST_TEST(!found(maximum(key <= query, key > query + 4)).exists);  // two intervals
  BOOST_TEST(!found((key <= query) * (key > query - 4), true).exists);
  BOOST_TEST(!found(not_equal(key, query)).exists);
  BOOST_TEST(!found(key <= 2 * query).exists);
  BOOST_TEST(!found(key + query <= 4).exists);
  BOOST_TEST(!found(key <= 4).exists);
  BOOST_TEST(!found(abs(key - query) <= 4).exists);
  BOOST_TEST(!found(key - query).exists);
  BOOST_TEST(!found(key - query < 1e12).exists);
}

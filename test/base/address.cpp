// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_address
#include <boost/test/unit_test.hpp>

#include <espalier/base/address.hpp>

using namespace espalier::detail;

namespace {
constexpr int first = 1, second = 1;
constexpr int pair[2]{1, 1};
int plain_function(int x) { return x; }
int other_function(int x) { return x + 1; }
using function = int(int);
constexpr function* missing = nullptr;
}  // namespace

// Equal values at two addresses are two objects.
BOOST_AUTO_TEST_CASE(addresses_of_objects) {
  static_assert(same_address(&first, &first) && !same_address(&first, &second));
  static_assert(same_address(&pair[1], pair + 1) && !same_address(&pair[0], &pair[1]));
  static_assert(!is_null(&first) && is_null(static_cast<int const*>(nullptr)));
  static_assert(!same_address(&first, static_cast<int const*>(nullptr)));
}

BOOST_AUTO_TEST_CASE(addresses_of_functions) {
  static_assert(same_address<function>(&plain_function, &plain_function));
  static_assert(!same_address<function>(&plain_function, &other_function));
  static_assert(is_null(missing) && !is_null<function>(&plain_function));
}

BOOST_AUTO_TEST_CASE(the_same_at_run_time) {
  int x = 0, y = 0;
  int *p = &x, *q = &y;
  BOOST_TEST(same_address(p, p));
  BOOST_TEST(!same_address(p, q));
  q = &x;
  BOOST_TEST(same_address(p, q));
  p = nullptr;
  BOOST_TEST(is_null(p));
  BOOST_TEST(!is_null(q));
  BOOST_TEST((plain_function(1) == 1 && other_function(1) == 2));
}

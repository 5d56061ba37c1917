// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_axis_order
#include <boost/test/unit_test.hpp>

#include <espalier/shape/axis_order.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(orders) {
  static_assert(!axis_order{}.is_known() && axes_in_order(1, 0).is_known() && axes_in_order().is_known());
  constexpr axis_order own = own_order({3, {2, 3, 4}});
  static_assert(own.rank == 3 && own.at[0] == 0 && own.at[1] == 1 && own.at[2] == 2);
}

BOOST_AUTO_TEST_CASE(orders_that_fit) {
  constexpr extents kernel{4, {3, 3, 8, 16}};
  static_assert(is_order_of(axes_in_order(3, 2, 0, 1), kernel) && is_order_of(own_order(kernel), kernel));
  static_assert(is_order_of(axes_in_order(), {0, {}}) && is_order_of(axes_in_order(), {2, {1, 1}}));
  static_assert(is_order_of(axes_in_order(1), {2, {1, 5}}));  // an axis of extent 1 may be left out
}

BOOST_AUTO_TEST_CASE(orders_that_do_not_fit) {
  constexpr extents s{2, {4, 5}};
  static_assert(!is_order_of(axis_order{}, s) && !is_order_of(axis_order{}, {0, {}}));
  static_assert(!is_order_of(axes_in_order(0), s));     // an axis is missing
  static_assert(!is_order_of(axes_in_order(0, 0), s));  // one is named twice
  static_assert(!is_order_of(axes_in_order(0, 2), s) && !is_order_of(axes_in_order(-1, 0), s));
  static_assert(!is_order_of(axes_in_order(0, 1, 2), s));
}

BOOST_AUTO_TEST_CASE(extents_in_an_order) {
  static_assert(in_order(axes_in_order(1, 0), {2, {4, 5}}) == extents{2, {5, 4}});
  static_assert(in_order(axes_in_order(3, 2, 0, 1), {4, {3, 5, 8, 16}}) == extents{4, {16, 8, 3, 5}});
  static_assert(in_order(axes_in_order(1), {2, {1, 5}}) == extents{1, {5}});
}

// The elements of a vector have only one order, whatever axes of extent 1 it has.
BOOST_AUTO_TEST_CASE(orders_without_a_declaration) {
  static_assert(detail::order_of_vector({1, {7}}).is_known() && detail::order_of_vector({0, {}}).is_known());
  static_assert(detail::order_of_vector({3, {1, 7, 1}}).rank == 3);
  static_assert(!detail::order_of_vector({2, {7, 2}}).is_known());
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_reduce
#include <boost/test/unit_test.hpp>

#include <espalier/shape/reduce.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(masks_of_axes) {
  static_assert(axis_mask<>(3) == 0b111 && axis_mask<>(0) == 0);
  static_assert(axis_mask<0, -1>(3) == 0b101 && axis_mask<-1, 0>(3) == 0b101 && axis_mask<5>(6) == 0b100000);
  static_assert(axis_mask<1, -2>(3) == 0);  // one axis twice
  static_assert(axis_mask<3>(3) == 0 && axis_mask<-4>(3) == 0 && axis_mask<0>(0) == 0);
}

BOOST_AUTO_TEST_CASE(extents_that_are_left) {
  constexpr extents s{3, {2, 3, 4}};
  static_assert(reduced_extents(s, 0, false) == s && reduced_extents(s, 0, true) == s);
  static_assert(reduced_extents(s, 0b010, false) == extents{2, {2, 4}});
  static_assert(reduced_extents(s, 0b010, true) == extents{3, {2, 1, 4}});
  static_assert(reduced_extents(s, 0b111, false) == extents{0, {}});
  static_assert(reduced_extents(s, 0b111, true) == extents{3, {1, 1, 1}});
  // Whatever is reduced, both forms have the same elements.
  for (unsigned mask = 0; mask < 8; ++mask) {
    extents const dropped = reduced_extents(s, mask, false), kept = reduced_extents(s, mask, true);
    BOOST_TEST(dropped.size() == kept.size());
    BOOST_TEST(kept.rank == 3);
  }
}

BOOST_AUTO_TEST_CASE(relations) {
  using s = shape<2, 3, 4>;
  static_assert(std::is_same_v<shape_from<reducible_axes<s, false, -1>>, shape<2, 3>>);
  static_assert(std::is_same_v<shape_from<reducible_axes<s, true, 0, 2>>, shape<1, 3, 1>>);
  static_assert(std::is_same_v<shape_from<reducible_axes<s, false>>, shape<>>);
  static_assert(reducible_axes<shape<>, false>::agree && !reducible_axes<shape<>, false, 0>::agree);
  static_assert(!reducible_axes<s, false, 3>::agree && !reducible_axes<s, false, 1, 1>::agree);
  static_assert(axes_exist<s, axes<0, 1>>::agree && !axes_exist<s, axes<0, -3>>::agree);
  static_assert(std::is_same_v<shape_from<kept_axes<s, 0b100>>, shape<2, 3, 1>>);
}

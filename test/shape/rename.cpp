// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_rename
#include <boost/test/unit_test.hpp>

#include <espalier/shape/rename.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(permuted_axes) {
  static_assert(packed_axes<2, 0, 1>(3) == 0x102 && packed_axes<-1, 0>(2) == 0x01);
  using rotated = permutes_axes<shape<2, 3, 4>, axes<2, 0, 1>>;
  static_assert(rotated::agree && std::is_same_v<shape_from<rotated>, shape<4, 2, 3>>);
  static_assert(permutes_axes<shape<>, axes<>>::agree);
  static_assert(std::is_same_v<shape_from<permutes_axes<shape<2, 3>, axes<-1, -2>>>, shape<3, 2>>);
  static_assert(!permutes_axes<shape<2, 3>, axes<0>>::agree && !permutes_axes<shape<2, 3>, axes<0, 0>>::agree);
  static_assert(!permutes_axes<shape<2, 3>, axes<0, 2>>::agree && !permutes_axes<shape<2, 3>, axes<0, 1, 1>>::agree);
}

BOOST_AUTO_TEST_CASE(squeezed_axes) {
  static_assert(squeezed_extents<>({4, {1, 3, 1, 5}}) == extents{2, {3, 5}});
  static_assert(squeezed_extents<2>({4, {1, 3, 1, 5}}) == extents{3, {1, 3, 5}});
  static_assert(squeezed_extents<-2, 0>({4, {1, 3, 1, 5}}) == extents{2, {3, 5}});
  static_assert(squeezed_extents<>({2, {1, 1}}) == extents{0, {}} && squeezed_extents<>({1, {3}}) == extents{1, {3}});
  static_assert(squeezed_extents<1>({2, {1, 3}}).rank == -1);      // longer than 1
  static_assert(squeezed_extents<2>({2, {1, 1}}).rank == -1);      // does not exist
  static_assert(squeezed_extents<0, -2>({2, {1, 1}}).rank == -1);  // one axis twice
  static_assert(axes_of_one<shape<1, 3>, axes<0>>::agree && !axes_of_one<shape<1, 3>, axes<1>>::agree);
}

// Positions count in the result.
BOOST_AUTO_TEST_CASE(unsqueezed_axes) {
  static_assert(unsqueezed_extents<0>({1, {3}}) == extents{2, {1, 3}});
  static_assert(unsqueezed_extents<-1>({1, {3}}) == extents{2, {3, 1}});
  static_assert(unsqueezed_extents<0, 2>({1, {3}}) == extents{3, {1, 3, 1}});
  static_assert(unsqueezed_extents<0>({0, {}}) == extents{1, {1}});
  static_assert(unsqueezed_extents<>({1, {3}}).rank == -1 && unsqueezed_extents<2>({1, {3}}).rank == -1);
  static_assert(unsqueezed_extents<0, 0>({1, {3}}).rank == -1 && unsqueezed_extents<0, -3>({1, {3}}).rank == -1);
  static_assert(unsqueezed_extents<0>({6, {1, 1, 1, 1, 1, 1}}).rank == -1);
  static_assert(std::is_same_v<shape_from<new_axes<shape<3>, axes<1>>>, shape<3, 1>>);
  static_assert(!new_axes<shape<3>, axes<>>::agree);
}

BOOST_AUTO_TEST_CASE(expanded_axes) {
  static_assert(expanded_extents({2, {3, 1}}, {2, {-1, 4}}) == extents{2, {3, 4}});
  static_assert(expanded_extents({1, {3}}, {2, {5, -1}}) == extents{2, {5, 3}});
  static_assert(expanded_extents({0, {}}, {1, {5}}) == extents{1, {5}});
  static_assert(expanded_extents({1, {3}}, {2, {-1, 3}}).rank == -1);  // a new axis has no extent to keep
  static_assert(expanded_extents({1, {3}}, {1, {4}}).rank == -1 && expanded_extents({1, {3}}, {1, {0}}).rank == -1);
  static_assert(expanded_extents({2, {3, 1}}, {1, {3}}).rank == -1);  // fewer axes
  static_assert(expandable<shape<3, 1>, to<-1, 4>>::agree && !expandable<shape<3, 2>, to<-1, 4>>::agree);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_layout
#include <boost/test/unit_test.hpp>

#include <espalier/storage/layout.hpp>

using espalier::extents;
using espalier::shape;

constexpr extents box = shape<2, 3, 4>::value;
static_assert(espalier::strides(box) == extents{3, {12, 4, 1}});
static_assert(espalier::strides(extents{}) == extents{});
static_assert(espalier::flat_index(box, extents{3, {1, 2, 3}}) == 23);
static_assert(espalier::flat_index(extents{}, extents{}) == 0);
static_assert(espalier::coordinates(box, 17) == extents{3, {1, 1, 1}});

BOOST_AUTO_TEST_CASE(coordinates_and_flat_index_are_inverse) {
  extents const s = shape<2, 1, 3, 2, 1, 4>::value;
  for (std::int64_t i = 0; i < s.size(); ++i) {
    extents const at = espalier::coordinates(s, i);
    for (int axis = 0; axis < s.rank; ++axis) BOOST_TEST((at[axis] >= 0 && at[axis] < s[axis]));
    BOOST_TEST(espalier::flat_index(s, at) == i);
  }
}

BOOST_AUTO_TEST_CASE(strides_locate_an_element) {
  extents const s = shape<3, 4, 5>::value, step = espalier::strides(s);
  for (std::int64_t i = 0; i < s.size(); ++i) {
    extents const at = espalier::coordinates(s, i);
    BOOST_TEST(at[0] * step[0] + at[1] * step[1] + at[2] * step[2] == i);
  }
}

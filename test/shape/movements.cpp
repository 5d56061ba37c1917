// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_movements
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/shape/movements.hpp>

using namespace espalier;

namespace {
/// The offset in the operand of each element of the result; -1: the element is filled.
std::vector<std::int64_t> sources(movement const& m, extents const& from) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i < m.shape.size(); ++i) found.push_back(moved_offset(m.map, from, m.shape, i));
  return found;
}
using offsets = std::vector<std::int64_t>;
constexpr extents matrix{2, {3, 4}};  // element (i, j) has offset 4 i + j
}  // namespace

BOOST_AUTO_TEST_CASE(slices) {
  constexpr movement middle = slicing<1, 1, 3, 1>::of(matrix);
  static_assert(middle.shape == extents{2, {3, 2}});
  BOOST_TEST(sources(middle, matrix) == (offsets{1, 2, 5, 6, 9, 10}));
  constexpr movement odd = slicing<-1, 1, to_end, 2>::of(matrix);
  BOOST_TEST(sources(odd, matrix) == (offsets{1, 3, 5, 7, 9, 11}));
  constexpr movement backwards = slicing<0, -1, to_end, -2>::of(matrix);
  static_assert(backwards.shape == extents{2, {2, 4}});
  BOOST_TEST(sources(backwards, matrix) == (offsets{8, 9, 10, 11, 0, 1, 2, 3}));
  constexpr movement without_ends = slicing<1, 1, -1, 1>::of(matrix);
  BOOST_TEST(sources(without_ends, matrix) == (offsets{1, 2, 5, 6, 9, 10}));
}

BOOST_AUTO_TEST_CASE(slices_that_do_not_fit) {
  static_assert(slicing<2, 0, 1, 1>::of(matrix).shape.rank == -1 && slicing<-3, 0, 1, 1>::of(matrix).shape.rank == -1);
  static_assert(slicing<1, 0, 2, 0>::of(matrix).shape.rank == -1);  // a step of 0
  static_assert(slicing<1, 2, 2, 1>::of(matrix).shape.rank == -1);  // no element
  static_assert(slicing<1, 0, 5, 1>::of(matrix).shape.rank == -1 &&
                slicing<1, 4, to_end, 1>::of(matrix).shape.rank == -1);
  static_assert(slicing<1, -5, 4, 1>::of(matrix).shape.rank == -1 && slicing<1, 0, -5, 1>::of(matrix).shape.rank == -1);
  static_assert(slicing<1, 1, 3, -1>::of(matrix).shape.rank == -1);  // the wrong direction
}

BOOST_AUTO_TEST_CASE(selections_drop_their_axis) {
  constexpr movement row = selecting<0, 2>::of(matrix), column = selecting<-1, 1>::of(matrix);
  static_assert(row.shape == extents{1, {4}} && column.shape == extents{1, {3}});
  BOOST_TEST(sources(row, matrix) == (offsets{8, 9, 10, 11}));
  BOOST_TEST(sources(column, matrix) == (offsets{1, 5, 9}));
  static_assert(selecting<0, 3>::of(matrix).shape.rank == -1 && selecting<0, -1>::of(matrix).shape.rank == -1 &&
                selecting<2, 0>::of(matrix).shape.rank == -1);
}

BOOST_AUTO_TEST_CASE(padding) {
  constexpr extents vector{1, {2}};
  constexpr movement around = padded_by<false, 1, 2>::of(vector);
  static_assert(around.shape == extents{1, {5}} && !around.map.fills_with_lowest);
  BOOST_TEST(sources(around, vector) == (offsets{-1, 0, 1, -1, -1}));
  static_assert(padded_by<true, 1, 2>::of(vector).map.fills_with_lowest);
  static_assert(padded_by<false, 1>::of(vector).shape.rank == -1 &&
                padded_by<false, 1, -1>::of(vector).shape.rank == -1);
  static_assert(padded_by<false>::of({0, {}}).shape == extents{0, {}});
}

BOOST_AUTO_TEST_CASE(flips) {
  BOOST_TEST(sources(flipping<1>::of(matrix), matrix) == (offsets{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}));
  BOOST_TEST(sources(flipping<0, 1>::of(matrix), matrix) == (offsets{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  static_assert(flipping<2>::of(matrix).shape.rank == -1 && flipping<0, 0>::of(matrix).shape.rank == -1);
}

BOOST_AUTO_TEST_CASE(undilating_takes_back_what_dilating_inserts) {
  constexpr extents vector{1, {2}};
  constexpr movement wide = dilating<2, 0>::of(vector);
  static_assert(wide.shape == extents{1, {6}});
  BOOST_TEST(sources(wide, vector) == (offsets{0, -1, -1, 1, -1, -1}));
  constexpr movement back = undilating<2, 0>::of(wide.shape);
  static_assert(back.shape == vector);
  BOOST_TEST(sources(back, wide.shape) == (offsets{0, 3}));
  static_assert(dilating<-1, 0>::of(vector).shape.rank == -1 && undilating<-1, 0>::of(vector).shape.rank == -1);
  static_assert(undilating<2, 0>::of({1, {5}}).shape.rank == -1);  // 5 is no multiple of 3
}

BOOST_AUTO_TEST_CASE(relations) {
  static_assert(movable<shape<3, 4>, slicing<1, 1, 3, 1>>::agree && !movable<shape<3>, slicing<1, 1, 3, 1>>::agree);
  static_assert(flipping<0>::relation<shape<3>>::agree && !flipping<1>::relation<shape<3>>::agree);
}

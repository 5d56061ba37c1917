// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_broadcast
#include <boost/test/unit_test.hpp>

#include <espalier/shape/broadcast.hpp>

using namespace espalier;

namespace {
/// NumPy's rule, from the last axis backwards; missing axes are 1.
bool numpy_allows(extents const& from, extents const& to) {
  for (int i = 1; i <= from.rank; ++i) {
    if (i > to.rank) return false;
    int const x = from.at[from.rank - i], y = to.at[to.rank - i];
    if (x != 1 && x != y) return false;
  }
  return true;
}
/// All extents of rank up to 3 with extents 1 to 3.
template <class F>
void for_all_extents(F f) {
  for (int rank = 0; rank <= 3; ++rank) {
    int const count = rank == 0 ? 1 : rank == 1 ? 3 : rank == 2 ? 9 : 27;
    for (int n = 0; n < count; ++n) {
      extents s{};
      for (int i = 0, rest = n; i < rank; ++i, rest /= 3) s.push(1 + rest % 3);
      f(s);
    }
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(conflicts_are_those_of_numpy) {
  static_assert(broadcast_conflict({1, {4}}, {2, {3, 4}}) == -1 && broadcast_conflict({0, {}}, {2, {3, 4}}) == -1);
  static_assert(broadcast_conflict({2, {3, 4}}, {1, {4}}) == -2 && broadcast_conflict({1, {3}}, {2, {3, 4}}) == 1);
  static_assert(broadcast_conflict({2, {2, 4}}, {3, {5, 3, 4}}) == 1);
  for_all_extents([](extents const& a) {
    for_all_extents([&](extents const& b) { BOOST_TEST((broadcast_conflict(a, b) == -1) == numpy_allows(a, b)); });
  });
}

BOOST_AUTO_TEST_CASE(the_axis_of_a_disagreement) {
  static_assert(disagreeing_axis({2, {3, 4}}, {2, {3, 4}}) == 0 && disagreeing_axis({2, {3, 4}}, {2, {3, 5}}) == -1);
  static_assert(disagreeing_axis({2, {2, 4}}, {3, {7, 3, 4}}) == -2 && disagreeing_axis({2, {1, 4}}, {2, {3, 1}}) == 0);
  static_assert(disagreeing_axis({3, {5, 2, 3}}, {3, {6, 7, 8}}, 2) == -3);
  static_assert(disagreeing_axis({2, {2, 3}}, {2, {7, 8}}, 2) == 0);
}

BOOST_AUTO_TEST_CASE(one_operand_has_the_shape_of_the_result) {
  using row = shape<4>;
  using column = shape<3, 1>;
  using matrix = shape<3, 4>;
  static_assert(std::is_same_v<same_or_broadcast<matrix, row>::type, matrix>);
  static_assert(std::is_same_v<same_or_broadcast<row, matrix>::type, matrix>);
  static_assert(std::is_same_v<same_or_broadcast<row, column, matrix>::type, matrix>);
  static_assert(std::is_same_v<same_or_broadcast<shape<>, row>::type, row>);
  static_assert(!same_or_broadcast<row, column>::agree && !same_or_broadcast<matrix, shape<5>>::agree);
  static_assert(!same_or_broadcast<row, column, shape<>>::agree);
  static_assert(same_or_broadcast<matrix, matrix>::leader == 0);
}

// An error shows the relation, and the axis where one differs.
BOOST_AUTO_TEST_CASE(violations_name_the_axis) {
  using wrong = same_or_broadcast<shape<3, 4>, shape<5>>;
  static_assert(std::is_same_v<violation<wrong>, invalid<wrong, at_axis<-1>>>);
  using crossed = same_or_broadcast<shape<4>, shape<3, 1>>;
  static_assert(std::is_same_v<violation<crossed>, invalid<crossed>>);
  using third = same_or_broadcast<shape<3, 4>, shape<4>, shape<2, 4>>;
  static_assert(std::is_same_v<violation<third>, invalid<third, at_axis<-2>>>);
  using to = broadcastable<shape<2, 4>, shape<3, 4>>;
  static_assert(!to::agree && std::is_same_v<violation<to>, invalid<to, at_axis<-2>>>);
  using fewer = broadcastable<shape<3, 4>, shape<4>>;
  static_assert(std::is_same_v<violation<fewer>, invalid<fewer>>);
  static_assert(Broadcastable<shape<4>, shape<3, 4>> && !Broadcastable<shape<3>, shape<3, 4>>);
}

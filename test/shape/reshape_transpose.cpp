// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_reshape_transpose
#include <boost/test/unit_test.hpp>

#include <espalier/shape/reshape_transpose.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(reshapes) {
  static_assert(reshape_extents(24, {2, {4, 6}}) == extents{2, {4, 6}});
  static_assert(reshape_extents(24, {3, {2, -1, 3}}) == extents{3, {2, 4, 3}});
  static_assert(reshape_extents(24, {1, {-1}}) == extents{1, {24}} && reshape_extents(1, {0, {}}) == extents{0, {}});
  static_assert(reshape_extents(7, {2, {7, -1}}) == extents{2, {7, 1}});
}

BOOST_AUTO_TEST_CASE(reshapes_that_do_not_fit) {
  static_assert(reshape_extents(24, {2, {5, 5}}).rank == -1);    // another count
  static_assert(reshape_extents(24, {2, {5, -1}}).rank == -1);   // no whole extent is left
  static_assert(reshape_extents(24, {2, {-1, -1}}).rank == -1);  // two unknown extents
  static_assert(reshape_extents(24, {2, {0, -1}}).rank == -1 && reshape_extents(24, {2, {-2, -12}}).rank == -1);
  static_assert(reshape_extents(24, {0, {}}).rank == -1);
}

BOOST_AUTO_TEST_CASE(relation_of_reshape) {
  static_assert(std::is_same_v<shape_from<same_element_count<shape<4, 6>, to<3, -1>>>, shape<3, 8>>);
  static_assert(same_element_count<shape<>, to<>>::agree && same_element_count<shape<>, to<1, 1>>::agree);
  static_assert(!same_element_count<shape<4, 6>, to<5, 5>>::agree);
}

// Axis i of the result is the operand's axis that the i-th four bits name.
BOOST_AUTO_TEST_CASE(permutations) {
  static_assert(swap_permutation(3, 0, 2) == 0x012 && swap_permutation(2, 1, 1) == 0x10);
  static_assert(permuted_extents({3, {2, 3, 4}}, 0x012) == extents{3, {4, 3, 2}});
  static_assert(permuted_extents({3, {2, 3, 4}}, 0x021) == extents{3, {3, 4, 2}});
  // A swap is its own inverse, on every axis of the largest rank.
  constexpr extents s{6, {2, 3, 4, 5, 6, 7}};
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      extents const swapped = permuted_extents(s, swap_permutation(6, a, b));
      BOOST_TEST(swapped.at[a] == s.at[b]);
      BOOST_TEST((permuted_extents(swapped, swap_permutation(6, a, b)) == s));
    }
}

BOOST_AUTO_TEST_CASE(relation_of_transpose) {
  using last = transposable_axes<shape<2, 3, 4>, -2, -1>;
  static_assert(last::agree && std::is_same_v<shape_from<last>, shape<2, 4, 3>>);
  static_assert(last::permutation == transposable_axes<shape<2, 3, 4>, 2, 1>::permutation);
  using wrong = transposable_axes<shape<2, 3>, 0, 2>;
  static_assert(!wrong::agree && std::is_same_v<shape_from<wrong>, shape<2, 3>>);
  static_assert(!transposable_axes<shape<3>, -2, -1>::agree);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_product
#include <boost/test/unit_test.hpp>

#include <espalier/shape/product.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(products_of_matrices) {
  static_assert(product_extents({2, {3, 4}}, {2, {4, 5}}) == extents{2, {3, 5}});
  static_assert(product_extents({2, {1, 1}}, {2, {1, 1}}) == extents{2, {1, 1}});
}

BOOST_AUTO_TEST_CASE(batches_are_broadcast_against_each_other) {
  static_assert(product_extents({3, {7, 3, 4}}, {2, {4, 5}}) == extents{3, {7, 3, 5}});
  static_assert(product_extents({2, {3, 4}}, {4, {6, 7, 4, 5}}) == extents{4, {6, 7, 3, 5}});
  static_assert(product_extents({4, {6, 1, 3, 4}}, {3, {7, 4, 5}}) == extents{4, {6, 7, 3, 5}});
}

BOOST_AUTO_TEST_CASE(conflicts) {
  static_assert(product_conflict({2, {3, 4}}, {2, {4, 5}}) == product_fault::none);
  static_assert(product_conflict({1, {4}}, {2, {4, 5}}) == product_fault::rank);
  static_assert(product_conflict({2, {3, 4}}, {0, {}}) == product_fault::rank);
  static_assert(product_conflict({2, {3, 4}}, {2, {5, 4}}) == product_fault::inner);
  static_assert(product_conflict({3, {6, 3, 4}}, {3, {7, 4, 5}}) == product_fault::batch);
  static_assert(product_conflict({3, {1, 3, 4}}, {3, {7, 4, 5}}) == product_fault::none);
}

BOOST_AUTO_TEST_CASE(relations) {
  using fit = inner_dimensions<shape<2, 3, 4>, shape<4, 5>>;
  static_assert(fit::agree && std::is_same_v<shape_from<fit>, shape<2, 3, 5>>);
  static_assert(Multipliable<shape<3, 4>, shape<4, 5>> && !Multipliable<shape<3, 4>, shape<3, 4>>);
  static_assert(matrix_axes<shape<3, 4>, shape<4, 5>>::agree && !matrix_axes<shape<3, 4>, shape<4>>::agree);
}

// Each fault has a relation of its own, which errors name.
BOOST_AUTO_TEST_CASE(violations) {
  using inner = inner_dimensions<shape<3, 4>, shape<5, 4>>;
  static_assert(std::is_same_v<violation<inner>, invalid<inner>>);
  using vector = inner_dimensions<shape<4>, shape<4, 5>>;
  static_assert(std::is_same_v<violation<vector>, invalid<matrix_axes<shape<4>, shape<4, 5>>>>);
  using a = shape<6, 3, 4>;
  using b = shape<7, 4, 5>;
  static_assert(std::is_same_v<violation<inner_dimensions<a, b>>, invalid<batch_dimensions<a, b>, at_axis<-3>>>);
}

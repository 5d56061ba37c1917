// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_concatenate
#include <boost/test/unit_test.hpp>

#include <espalier/shape/concatenate.hpp>

using namespace espalier;

BOOST_AUTO_TEST_CASE(concatenated_shapes) {
  using rows = concatenable<shape<2, 3>, shape<5, 3>, along<0>>;
  static_assert(rows::agree && std::is_same_v<shape_from<rows>, shape<7, 3>>);
  using columns = concatenable<shape<2, 3>, shape<2, 1>, along<-1>>;
  static_assert(columns::axis == 1 && std::is_same_v<shape_from<columns>, shape<2, 4>>);
  static_assert(!concatenable<shape<2, 3>, shape<5, 4>, along<0>>::agree);  // other columns
  static_assert(!concatenable<shape<2, 3>, shape<3>, along<0>>::agree);     // another rank
  static_assert(!concatenable<shape<2, 3>, shape<2, 3>, along<2>>::agree &&
                !concatenable<shape<2, 3>, shape<2, 3>, along<-3>>::agree &&
                !concatenable<shape<>, shape<>, along<0>>::agree);
  // Without agreement there is still a shape, so that one mistake is one error.
  static_assert(std::is_same_v<shape_from<concatenable<shape<2, 3>, shape<9>, along<2>>>, shape<2, 3>>);
}

BOOST_AUTO_TEST_CASE(stacked_shapes) {
  static_assert(stackable<shape<2, 3>, shape<2, 3>, along<0>>::agree && stackable<shape<>, shape<>, along<0>>::agree);
  static_assert(stackable<shape<2, 3>, shape<2, 3>, along<2>>::agree &&
                stackable<shape<2, 3>, shape<2, 3>, along<-3>>::agree);
  static_assert(!stackable<shape<2, 3>, shape<2, 3>, along<3>>::agree &&
                !stackable<shape<2, 3>, shape<2, 3>, along<-4>>::agree);
  static_assert(!stackable<shape<2, 3>, shape<3, 2>, along<0>>::agree);
  using largest = shape<1, 1, 1, 1, 1, 1>;
  static_assert(!stackable<largest, largest, along<0>>::agree);  // there is no rank of 7
}

BOOST_AUTO_TEST_CASE(sections_fill_an_axis) {
  static_assert(fills_axis<shape<2, 6>, along<-1>, to<1, 2, 3>>::agree && fills_axis<shape<6>, along<0>, to<6>>::agree);
  static_assert(!fills_axis<shape<2, 6>, along<-1>, to<1, 2>>::agree &&
                !fills_axis<shape<2, 6>, along<-1>, to<4, 3>>::agree);
  static_assert(!fills_axis<shape<2, 6>, along<1>, to<7, -1>>::agree &&
                !fills_axis<shape<2, 6>, along<1>, to<6, 0>>::agree);
  static_assert(!fills_axis<shape<2, 6>, along<2>, to<6>>::agree);
}

// With several operands the first one that does not fit is reported.
BOOST_AUTO_TEST_CASE(the_first_misfit) {
  using a = shape<2, 3>;
  using b = shape<2, 4>;
  using c = shape<5>;
  static_assert(std::is_same_v<detail::first_misfit<concatenable, along<1>, a, b, a>::type, agreed>);
  static_assert(
      std::is_same_v<detail::first_misfit<concatenable, along<0>, a, a, b, c>::type, concatenable<a, b, along<0>>>);
  static_assert(std::is_same_v<detail::first_misfit<stackable, along<4>, a>::type, stackable<a, a, along<4>>>);
}

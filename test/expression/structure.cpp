// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE expression_structure
#include <boost/test/unit_test.hpp>
#include <espalier.hpp>

using namespace espalier::detail;
using tensor = espalier::tensor<float, espalier::shape<3>>;
using view = espalier::view<float, espalier::shape<3>>;
using value = espalier::traced<espalier::shape<3>>;

template <class A, class B>
struct two {
  A a;
  B b;
};
template <class A>
struct one_type {
  A a, b;
};
struct plain {
  tensor a;
};
static_assert(Structure<two<tensor, view>> && Structure<two<two<view, tensor>, std::array<tensor, 2>>>);
static_assert(Structure<std::tuple<tensor>> && Structure<std::pair<tensor, view>> && Structure<two<value, value>>);
static_assert(!Structure<one_type<tensor>> && !Structure<plain> && !Structure<tensor> && !Structure<value>);
static_assert(!Structure<espalier::nn::Residual<espalier::nn::ReLU>> &&
              !Structure<espalier::constant_argument<tensor>>);
static_assert(leaf_count_of<two<two<tensor, view>, std::array<tensor, 3>>> == 5);
static_assert(same_structure<two<tensor, view>, two<view, view>>);
static_assert(!same_structure<two<tensor, view>, std::pair<view, view>>);
static_assert(std::is_same_v<in_body<two<tensor, std::tuple<view>>>, two<value, std::tuple<value>>>);

BOOST_AUTO_TEST_CASE(leaves_in_order_and_back) {
  two<int, std::array<int, 2>> const s{1, {2, 3}};
  auto const leaves = flattened(s);
  BOOST_TEST(std::get<2>(leaves) == 3);
  auto const twice = map_leaves(s, [](int x) { return 2.0 * x; });
  static_assert(std::is_same_v<decltype(twice), two<double, std::array<double, 2>> const>);
  BOOST_TEST(twice.a == 2);
  BOOST_TEST(twice.b[1] == 6);
}

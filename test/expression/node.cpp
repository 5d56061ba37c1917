// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE expression_node
#include <boost/test/unit_test.hpp>

#include <espalier/expression/node.hpp>
#include <espalier/storage/tensor.hpp>

using namespace espalier;

namespace {
struct op {};
using s = shape<2, 3>;
using matrix = tensor<float, s>;
template <class T>
using of = borrowed<T, s>;

/// x + x + ... with `Count` tensors, as a type.
template <int Count>
struct sum_of {
  using type = node<op, 0, s, typename sum_of<Count - 1>::type, of<float>>;
};
template <>
struct sum_of<1> {
  using type = of<float>;
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_node_stores_its_operands) {
  matrix a{};
  auto const n = detail::make_node<op, 7, s>(a, 2.0f);
  static_assert(std::is_same_v<decltype(n), node<op, 7, s, of<float>, number<float>> const>);
  BOOST_TEST(n.a.data == a.data());
  BOOST_TEST(n.b.value == 2.0f);
  auto const outer = detail::make_node<op, 0, shape<>>(n);
  static_assert(std::is_same_v<decltype(outer), node<op, 0, shape<>, std::remove_const_t<decltype(n)>> const>);
  BOOST_TEST(outer.a.a.data == a.data());
  auto const three = detail::make_node<op, 0, s>(a, n, matrix{});
  static_assert(std::is_same_v<decltype(three.c), owned<matrix>>);
}

BOOST_AUTO_TEST_CASE(element_types_of_nodes) {
  static_assert(std::is_same_v<element_of<node<op, 0, s, of<float>, number<double>>>, float>);
  static_assert(std::is_same_v<element_of<node<op, 0, s, of<std::int32_t>, of<double>>>, double>);
  static_assert(std::is_void_v<element_of<node<op, 0, s, number<int>>>>);
  static_assert(std::is_same_v<element_of<node<op, 0, s, number<int>, of<bool>, of<float>>>, float>);
}

// Formulas of tensors are computed at once; what only a model has a value for is not.
BOOST_AUTO_TEST_CASE(eager_formulas) {
  using weights = parameter<s, void>;
  static_assert(node<op, 0, s, of<float>>::eager && node<op, 0, s, weights, of<float>>::eager);
  static_assert(!node<op, 0, s, weights, number<float>>::eager);
  static_assert(is_eager<matrix&, double> && !is_eager<weights&, double>);
}

BOOST_AUTO_TEST_CASE(the_device_of_a_node) {
  using there = borrowed<float, s, cuda>;
  static_assert(std::is_same_v<device_of<node<op, 0, s, of<float>, number<float>>>, cpu>);
  static_assert(std::is_same_v<device_of<node<op, 0, s, number<float>, there>>, cuda>);
  static_assert(std::is_void_v<device_of<node<op, 0, s, number<float>>>>);
  static_assert(detail::devices_relation<true, there, number<float>>::type::agree);
  static_assert(!detail::devices_relation<true, there, of<float>>::type::agree);
}

BOOST_AUTO_TEST_CASE(what_a_formula_reads) {
  using inner = node<op, 0, s, of<float>, number<float>>;
  using outer = node<op, 0, s, inner, inner, owned<matrix>>;
  static_assert(formula_reads<outer>::tensors == 3 && formula_reads<outer>::numbers == 2);
  static_assert(formula_reads<parameter<s, void>>::tensors == 0);
  static_assert(formula_is_small<sum_of<max_formula_tensors>::type>);
  static_assert(!formula_is_small<sum_of<max_formula_tensors>::type, matrix&>);
}

// Only a formula of one element of tensors on the host converts to a number.
BOOST_AUTO_TEST_CASE(formulas_that_are_numbers) {
  using scalar = borrowed<double, shape<>>;
  static_assert(std::is_convertible_v<node<op, 0, shape<>, scalar>, double>);
  static_assert(!std::is_convertible_v<node<op, 0, s, of<float>>, float>);
  static_assert(!detail::NumberFormula<node<op, 0, shape<>, borrowed<float, s, cuda>>>);
  static_assert(!detail::NumberFormula<node<op, 0, shape<>, parameter<s, void>>>);
  static_assert(std::is_same_v<detail::number_of_formula<void>::type, double> &&
                std::is_same_v<detail::number_of_formula<double>::type, double>);
}

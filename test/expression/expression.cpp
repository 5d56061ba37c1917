// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE expression_expression
#include <boost/test/unit_test.hpp>

#include <espalier/expression/expression.hpp>

using namespace espalier;

namespace {
/// Stand-ins with the names that the concepts read.
template <class T>
struct formula {
  using is_expression = void;
  using element_type = T;
};
template <class T>
struct tensor_like {
  using is_tensor = void;
  using value_type = T;
};
template <class T>
struct view_like {
  using is_view = void;
  using value_type = T;
};
struct handle_like {
  using is_handle = void;
};
struct other {};
}  // namespace

BOOST_AUTO_TEST_CASE(operands) {
  static_assert(Expression<formula<float>> && Expression<tensor_like<float> const&> && Expression<view_like<float>&&>);
  static_assert(!Expression<handle_like> && Handle<handle_like const&> && !Handle<formula<float>>);
  static_assert(Number<float> && Number<int const&> && Number<bool> && !Number<other> && !Number<float*>);
  static_assert(Operand<formula<float>> && Operand<handle_like> && !Operand<float> && !Operand<other>);
}

// 2 * 3 is not an op of this library, whatever namespace it is found in.
BOOST_AUTO_TEST_CASE(one_operand_of_a_binary_op_is_no_number) {
  static_assert(Operands<formula<float>, int> && Operands<int, formula<float>> && Operands<handle_like, handle_like>);
  static_assert(Operands<tensor_like<float>, view_like<float>>);
  static_assert(!Operands<int, int> && !Operands<formula<float>, other> && !Operands<other, formula<float>>);
}

BOOST_AUTO_TEST_CASE(element_types) {
  static_assert(std::is_same_v<element_of<formula<double> const&>, double>);
  static_assert(std::is_same_v<element_of<tensor_like<float>>, float>);
  static_assert(std::is_same_v<element_of<view_like<float const>>, float>);
  static_assert(std::is_void_v<element_of<invalid<agreed>>>);
}

// Real types must be the same; integers, booleans and numbers adapt to them.
BOOST_AUTO_TEST_CASE(common_element_types) {
  using detail::common_element;
  static_assert(std::is_same_v<common_element<float, float>::type, float>);
  static_assert(std::is_same_v<common_element<std::int32_t, double>::type, double>);
  static_assert(std::is_same_v<common_element<void, bool, half>::type, half>);
  static_assert(std::is_void_v<common_element<std::int32_t, bool>::type> && std::is_void_v<common_element<void>::type>);
  static_assert(same_element<float, float>::agree && same_element<float, void>::agree &&
                same_element<std::int32_t, bool>::agree);
  static_assert(!same_element<float, double>::agree && !same_element<half, bfloat16>::agree);
  static_assert(!common_element<void, float, double>::agree);
}

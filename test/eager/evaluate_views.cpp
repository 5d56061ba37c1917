// SPDX-License-Identifier: BSL-1.0
// Formulas that are written into memory of the user, and functions that take tensors by value.
#define BOOST_TEST_MODULE eager_evaluate_views
#include <boost/test/unit_test.hpp>

#include <tuple>
#include <vector>

#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using both = std::tuple<float, double>;
using espalier::evaluate_into;
using espalier::shape;
using espalier::tensor;
using espalier::view;

namespace {

template <std::int64_t Count>
std::vector<float> counting() {
  std::vector<float> numbers(Count);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i + 1);
  return numbers;
}

constexpr float in_a_constant_expression() {
  float numbers[4]{1, 2, 3, 4};
  view<float, shape<4>> const v(numbers);
  v = v * 2 + 1;
  tensor<float, shape<4>> copy;
  evaluate_into(v, copy);
  return copy[3];
}
static_assert(in_a_constant_expression() == 9);

}  // namespace

BOOST_AUTO_TEST_CASE(a_formula_is_written_where_the_view_refers_to) {
  std::vector<float> numbers(8, -1.0f);
  tensor<float, shape<2, 3>> const a{{1, 2, 3}, {4, 5, 6}};
  view<float, shape<2, 3>> const v(&numbers[1]);
  v = a * 2 + 1;
  BOOST_TEST((numbers == std::vector<float>{-1, 3, 5, 7, 9, 11, 13, -1}));
  evaluate_into(a + a, view<float, shape<2, 3>>(&numbers[2]));
  BOOST_TEST((numbers == std::vector<float>{-1, 3, 2, 4, 6, 8, 10, 12}));
  view<float, shape<2, 3>>{&numbers[1]} = a * 3;
  BOOST_TEST((numbers == std::vector<float>{-1, 3, 6, 9, 12, 15, 18, 12}));
}

BOOST_AUTO_TEST_CASE(operands_may_be_the_destination) {
  std::vector<float> numbers = counting<9>();
  view<float, shape<3, 3>> const square(numbers);
  square = square + square;
  BOOST_TEST(numbers[8] == 18.0f);
  square = transpose(square);
  BOOST_TEST((numbers[1] == 8 && numbers[3] == 4));
  tensor<float, shape<3, 3>> t{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  view<float, shape<3, 3>> const of_t = t;
  of_t = transpose(t);
  BOOST_TEST((t == tensor<float, shape<3, 3>>{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}));
  of_t = matmul(t, t) - of_t;
  tensor<float, shape<3, 3>> const u{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}, by_hand = matmul(u, u) - u;
  BOOST_TEST((t == by_hand));
}

template <int Count>
void check_partial_overlap() {
  constexpr int shift = Count / 3 + 1;
  auto const before = counting<Count + shift>();
  auto numbers = before;
  view<float, shape<Count>> const low(numbers.data()), high(numbers.data() + shift);
  high = low * 2;
  for (int i = 0; i < Count + shift; ++i) {
    float const expected =
        i < shift ? before[static_cast<std::size_t>(i)] : 2 * before[static_cast<std::size_t>(i - shift)];
    BOOST_TEST(numbers[static_cast<std::size_t>(i)] == expected);
  }
  numbers = before;
  low = high + low;
  for (int i = 0; i < Count; ++i)
    BOOST_TEST(numbers[static_cast<std::size_t>(i)] ==
               before[static_cast<std::size_t>(i)] + before[static_cast<std::size_t>(i + shift)]);
}
BOOST_AUTO_TEST_CASE(operands_may_overlap_the_destination_partly) {
  check_partial_overlap<2>();
  check_partial_overlap<7>();
  check_partial_overlap<64>();
  check_partial_overlap<1500>();
}

template <int Count>
void check_scalar_inside() {
  for (int const at : {0, Count / 2, Count - 1}) {
    std::vector<float> numbers(static_cast<std::size_t>(Count), 8.0f);
    numbers[static_cast<std::size_t>(at)] = 2;
    view<float, shape<Count>> const all(numbers.data());
    view<float, shape<>> const one(numbers.data() + at);
    all = all / one;
    for (int i = 0; i < Count; ++i) BOOST_TEST(numbers[static_cast<std::size_t>(i)] == (i == at ? 1.0f : 4.0f));
  }
}
BOOST_AUTO_TEST_CASE(a_scalar_operand_may_be_one_element_of_the_destination) {
  check_scalar_inside<3>();
  check_scalar_inside<33>();
  check_scalar_inside<1001>();
}

BOOST_AUTO_TEST_CASE(elements_of_other_types) {
  bool flags[3]{};
  std::int32_t labels[3]{};
  double numbers[3]{};
  tensor<float, shape<3>> const a{1, 2, 3};
  view<bool, shape<3>> of_flags(flags);
  of_flags = a > 1.5f;
  BOOST_TEST((!flags[0] && flags[1] && flags[2]));
  view<double, shape<3>>{numbers} = tensor<double, shape<3>>(a) / 2;
  BOOST_TEST(numbers[2] == 1.5);
  evaluate_into(tensor<std::int32_t, shape<3>>{4, 5, 6}, view<std::int32_t, shape<3>>(labels));
  BOOST_TEST(labels[1] == 5);
}

BOOST_AUTO_TEST_CASE(a_formula_determines_the_shape_of_a_range) {
  std::vector<float> numbers(6);
  tensor<float, shape<2, 3>> const a{{1, 2, 3}, {4, 5, 6}};
  evaluate_into(a * 2, numbers);
  BOOST_TEST(numbers[5] == 12.0f);
  float array[3][2]{};
  evaluate_into(transpose(a), array);
  BOOST_TEST(array[0][1] == 4.0f);
  BOOST_CHECK_THROW(evaluate_into(sum<0>(a), numbers), espalier::range_error);
  BOOST_TEST(numbers[0] == 2.0f);
}

BOOST_AUTO_TEST_CASE(copies_and_rebinding_are_explicit) {
  std::vector<float> a = counting<4>(), b(4, 0.0f);
  view<float, shape<4>> x = a, y = b;
  evaluate_into(x, y);
  BOOST_TEST((a == b));
  evaluate_into(view<float const, shape<3>>(&a[0]), view<float, shape<3>>(&a[1]));
  BOOST_TEST((a == std::vector<float>{1, 1, 2, 3}));
  y.rebind(x);
  y.fill(7);
  BOOST_TEST((a[3] == 7 && b[3] == 4));
  y.rebind(b);
  BOOST_TEST(y.data() == b.data());
  view<float const, shape<4>> r = a;
  r = y;
  BOOST_TEST(r.data() == b.data());
}

namespace {
/// Writes over what a call that has returned leaves on the stack.
[[gnu::noinline]] void use_the_stack() {
  float volatile memory[2048];
  for (int i = 0; i < 2048; ++i) memory[i] = 77;
  (void)memory[0];
}
template <class E>
tensor<float, shape<>> late(E const& formula) {
  use_the_stack();
  return evaluate(formula);
}
}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(functions_may_take_tensors_by_value, T, both) {
  tensor<T, shape<4>> const a{1, 2, 3, 4};
  tensor<T, shape<1500>> large;
  large.fill(2);
  auto const f = [](auto x, auto y) { return sum(x * y); };
  tensor<T, shape<>> const small = f(a, a), of_large = f(large, large),
                           of_temporaries = f(evaluate(a + 1), evaluate(a * 2));
  BOOST_TEST((T(small) == 30 && T(of_large) == 6000 && T(of_temporaries) == 80));
  tensor<T, shape<>> assigned;
  assigned = f(a, a) + f(a, evaluate(large[0] * a));
  BOOST_TEST(T(assigned) == 90);
  T memory = 0;
  evaluate_into(f(a, a), view<T, shape<>>(&memory));
  BOOST_TEST(memory == 30);
}
BOOST_AUTO_TEST_CASE(arguments_by_value_live_until_the_full_expression_ends) {
  tensor<float, shape<4>> const a{1, 2, 3, 4};
  auto const f = [](auto x, auto y) { return sum(x * y); };
  BOOST_TEST(float(late(f(a, a))) == 30);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_range
#include <boost/test/unit_test.hpp>

#include <array>
#include <limits>
#include <deque>
#include <list>
#include <span>
#include <string>
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::half;
using espalier::range_error;
using espalier::shape;
using espalier::tensor;
using espalier::view;
namespace detail = espalier::detail;

using S = shape<2, 3>;

static_assert(detail::Range<std::vector<float>> && detail::Range<std::list<float>> && detail::Range<float[3]> &&
              !detail::Range<float*>);
static_assert(!detail::Range<tensor<float, S>> && !detail::Range<view<float, S>> && !detail::Range<float>);
static_assert(detail::numbers_in_a_row<std::vector<float>>::agree &&
              detail::numbers_in_a_row<std::vector<unsigned char>>::agree &&
              detail::numbers_in_a_row<std::initializer_list<float>>::agree &&
              detail::numbers_in_a_row<espalier::span<float>>::agree &&
              detail::numbers_in_a_row<std::vector<half>>::agree &&
              detail::numbers_in_a_row<std::vector<std::array<float, 3>>>::agree);
static_assert(!detail::numbers_in_a_row<std::vector<bool>>::agree &&
              !detail::numbers_in_a_row<std::list<float>>::agree &&
              !detail::numbers_in_a_row<std::deque<float>>::agree &&
              !detail::numbers_in_a_row<std::vector<std::vector<float>>>::agree &&
              !detail::numbers_in_a_row<std::string>::agree && !detail::numbers_in_a_row<std::vector<float*>>::agree);
static_assert(!detail::numbers_in_a_row<std::vector<std::span<float, 2>>>::agree,
              "spans are pointers to elsewhere, though as large as two floats");
static_assert(detail::fixed_count<std::array<float, 3>> == 3 && detail::fixed_count<std::span<float, 2>> == 2 &&
              detail::fixed_count<float[4]> == 4 && detail::fixed_count<std::span<float>> == -1 &&
              detail::fixed_count<std::vector<float>> == -1);
static_assert(std::is_trivially_copyable_v<view<float, S>> &&
              std::is_convertible_v<std::vector<float>&, view<float, S>>);

constexpr float flat[]{1, 2, 3, 4, 5, 6};
constexpr float nested[2][3]{{1, 2, 3}, {4, 5, 6}};
constexpr std::array<std::array<float, 3>, 2> arrays{{{1, 2, 3}, {4, 5, 6}}};
constexpr tensor<float, S> expected{{1, 2, 3}, {4, 5, 6}};
static_assert(tensor<float, S>(flat) == expected && tensor<float, S>(nested) == expected &&
              tensor<float, S>(arrays) == expected);
static_assert(tensor<double, S>(arrays)(1, 2) == 6 && view<float const, S>(flat)(1, 0) == 4);
static_assert(tensor<float, shape<1, 3>>{{1, 2, 3}}(0, 2) == 3, "braces are an initialiser, not a range");

template <class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (range_error const& error) {
    return error.what();
  }
  return {};
}

// A name is no range of numbers.
static_assert(!std::is_convertible_v<char const (&)[3], espalier::tensor<float, espalier::shape<3>>>);

BOOST_AUTO_TEST_CASE(tensors_copy_ranges) {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  tensor<float, S> const implicit = numbers, direct(numbers), braced{numbers};
  BOOST_TEST((implicit == expected && direct == expected && braced == expected));
  numbers[0] = 7;
  BOOST_TEST(implicit[0] == 1.0f);
  std::vector<std::array<float, 3>> const rows{{1, 2, 3}, {4, 5, 6}};
  float const first[]{1, 2, 3}, second[]{4, 5, 6};
  tensor<float, S> const of_rows = rows, of_names{first, second}, of_span = std::span<float const>(flat),
                         of_ours = espalier::span<float const>(flat, 6);
  BOOST_TEST((of_rows == expected && of_names == expected && of_span == expected && of_ours == expected));
  tensor<float, S> assigned;
  assigned = std::array<float, 6>{1, 2, 3, 4, 5, 6};
  BOOST_TEST((assigned == expected));
  assigned = std::span<float>(assigned.data(), 6);
  BOOST_TEST((assigned == expected));
}

BOOST_AUTO_TEST_CASE(a_large_tensor_recovers_its_memory) {
  std::vector<float> numbers(5000, 3.0f);
  tensor<float, shape<5000>> from(numbers);
  tensor<float, shape<5000>> const away = std::move(from);
  from = numbers;
  BOOST_TEST(from[4999] + away[0] == 6.0f);
}

BOOST_AUTO_TEST_CASE(elements_are_converted_in_words) {
  std::vector<double> const numbers{1, 2, 3, 4, 5, 6};
  BOOST_TEST((tensor<float, S>(numbers) == expected));
  std::vector<unsigned char> const bytes{1, 2, 255};
  BOOST_TEST((tensor<float, shape<3>>(bytes)[2] == 255 && tensor<std::int32_t, shape<3>>(bytes)[2] == 255));
  std::vector<int> const labels{3, 0, -1};
  tensor<std::int32_t, shape<3>> const same = labels;
  BOOST_TEST((tensor<std::int32_t, shape<3>>(std::vector<long>{3, 0, -1}) == same));
}

BOOST_AUTO_TEST_CASE(integers_must_fit) {
  tensor<std::int32_t, shape<2>> t{1, 2};
  auto const assign = [&](auto const& numbers) {
    return error_of([&] { t = tensor<std::int32_t, shape<2>>(numbers); });
  };
  BOOST_TEST(assign(std::vector<long>{1, 5000000000}) ==
             "tensor(range): expected integers that fit std::int32_t, got 5000000000 at position 1");
  BOOST_TEST(assign(std::vector<unsigned>{0xffffffffu, 1}) ==
             "tensor(range): expected integers that fit std::int32_t, got 4294967295 at position 0");
  BOOST_TEST(assign(std::vector<long>{-2147483649, 1}) ==
             "tensor(range): expected integers that fit std::int32_t, got -2147483649 at position 0");
  BOOST_TEST((t == tensor<std::int32_t, shape<2>>{1, 2}));
  BOOST_TEST(assign(std::vector<long>{-2147483648, 2147483647}) == "");
  BOOST_TEST((t[0] == -2147483647 - 1 && t[1] == 2147483647));
  BOOST_TEST(error_of([&] {
               t = tensor<std::int32_t, shape<2>>{1, 4000000000};
             }) == "tensor{...}: expected integers that fit std::int32_t, got 4000000000 at position 1");
  BOOST_TEST(error_of([&] {
               t = tensor<std::int32_t, shape<2>>{0xffffffffffffffffu, 1};
             }) == "tensor{...}: expected numbers that fit std::int32_t, got one above 9e18 at position 0");
  long const first[]{1, 2}, second[]{3, -5000000000};
  BOOST_TEST(error_of([&] {
               (void)tensor<std::int32_t, shape<2, 2>>{first, second};
             }) ==
             "tensor{first, second, ...}: expected integers that fit std::int32_t, got -5000000000 at position 1");
}

BOOST_AUTO_TEST_CASE(real_numbers_must_fit_integers) {
  auto const converted = [](auto number) {
    return error_of([&] { (void)tensor<std::int32_t, shape<2>>(tensor<decltype(number), shape<2>>{1, number}); });
  };
  BOOST_TEST(converted(2147483648.0) ==
             "tensor(tensor): expected numbers that fit std::int32_t, got 2147483648 at position 1");
  BOOST_TEST(converted(-2147483649.0) ==
             "tensor(tensor): expected numbers that fit std::int32_t, got -2147483649 at position 1");
  BOOST_TEST(converted(4e9f) == "tensor(tensor): expected numbers that fit std::int32_t, got 4000000000 at position 1");
  BOOST_TEST(converted(-1e30f) ==
             "tensor(tensor): expected numbers that fit std::int32_t, got one below -9e18 at position 1");
  BOOST_TEST(converted(std::numeric_limits<float>::quiet_NaN()) ==
             "tensor(tensor): expected numbers that fit std::int32_t, got nan at position 1");
  BOOST_TEST(converted(-2147483648.0f) == "");
  double const numbers[]{0, 1e300};
  BOOST_TEST(error_of([&] { (void)tensor<std::int32_t, shape<2>>(view<double const, shape<2>>(numbers)); }) ==
             "tensor(view): expected numbers that fit std::int32_t, got one above 9e18 at position 1");
}

BOOST_AUTO_TEST_CASE(counts_are_checked_before_anything_is_written) {
  std::vector<float> const numbers(5, 9.0f);
  tensor<float, S> t = expected;
  BOOST_TEST(error_of([&] { tensor<float, S> const made(numbers); }) == "tensor(range): expected 6 elements, got 5");
  BOOST_TEST(error_of([&] { t = numbers; }) == "tensor = range: expected 6 elements, got 5");
  BOOST_TEST((t == expected));
  BOOST_TEST(error_of([&] { (void)view<float const, S>(numbers); }) == "view(range): expected 6 elements, got 5");
  BOOST_TEST(error_of([&] { (void)view<float const, S>(espalier::span<float const>(numbers.data(), 5)); }) ==
             "view(range): expected 6 elements, got 5");
  BOOST_TEST(error_of([&] { (void)tensor<float, shape<>>(std::vector<float>{}); }) ==
             "tensor(range): expected 1 element, got 0");
  std::vector<std::array<float, 3>> const rows(4);
  BOOST_TEST(error_of([&] { (void)tensor<float, S>(rows); }) == "tensor(range): expected 6 elements, got 12");
}

BOOST_AUTO_TEST_CASE(views_refer_to_ranges) {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  view<float, S> const all = numbers;
  all(1, 2) = 8;
  BOOST_TEST(numbers[5] == 8.0f);
  view<float const, S> const read = std::as_const(numbers), of_span{std::span<float>(numbers)}, of_array = flat;
  BOOST_TEST((read.data() == numbers.data() && of_span.data() == numbers.data() && of_array == expected));
  std::vector<std::array<float, 3>> rows{{1, 2, 3}, {4, 5, 6}};
  float square[2][3]{};
  view<float, S> const of_rows = rows, of_square = square;
  BOOST_TEST((of_rows.data() == rows[0].data() && of_square.data() == square[0]));
}

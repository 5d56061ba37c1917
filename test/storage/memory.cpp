// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_memory
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <utility>

#include <espalier/storage/memory.hpp>

using namespace espalier;
using namespace espalier::detail;

namespace {
constexpr std::int64_t few = 8, many = 2000;

template <class Memory>
bool is_aligned(Memory const& m) {
  return reinterpret_cast<std::uintptr_t>(m.begin()) % tensor_alignment == 0;
}
/// The sum of elements 1, 2, ... after a copy, a move and an assignment.
template <class Memory>
constexpr int sum_of_copies(int count) {
  Memory a;
  for (int i = 0; i < count; ++i) a.begin()[i] = i + 1;
  Memory b{a};
  a.begin()[0] = 100;
  Memory c{std::move(b)};
  Memory d{unfilled{}};
  d = c;
  c.begin()[0] = 200;
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += d.begin()[i];
  return sum;
}
constexpr bool begins_with_zeros() {
  inline_memory<int, few> a;
  heap_memory<int, few> b;
  int any = 0;
  for (int i = 0; i < few; ++i) any |= a.begin()[i] | b.begin()[i];
  return any == 0;
}
/// In a constant expression unfilled memory has values, too, since it could not be read otherwise.
consteval bool unfilled_memory_has_values() {
  inline_memory<int, few> a{unfilled{}};
  int any = 0;
  for (int i = 0; i < few; ++i) any |= a.begin()[i];
  return any == 0;
}
}  // namespace

BOOST_AUTO_TEST_CASE(small_tensors_are_in_the_object) {
  static_assert(std::is_same_v<memory<float, 1024>, inline_memory<float, 1024>>);
  static_assert(std::is_same_v<memory<float, 1025>, heap_memory<float, 1025>>);
  static_assert(std::is_same_v<memory<double, 513>, heap_memory<double, 513>>);
  static_assert(std::is_same_v<memory<bool, 4096>, inline_memory<bool, 4096>>);
  static_assert(alignof(inline_memory<float, 1>) == tensor_alignment && sizeof(inline_memory<float, 1>) == 64);
  static_assert(sizeof(heap_memory<float, many>) == sizeof(float*));
}

BOOST_AUTO_TEST_CASE(the_same_in_constant_expressions) {
  static_assert(begins_with_zeros());
  static_assert(unfilled_memory_has_values());
  static_assert(sum_of_copies<inline_memory<int, few>>(few) == few * (few + 1) / 2);
  static_assert(sum_of_copies<heap_memory<int, few>>(few) == few * (few + 1) / 2);
}

BOOST_AUTO_TEST_CASE(copies_are_independent) {
  BOOST_TEST(begins_with_zeros());
  BOOST_TEST((sum_of_copies<inline_memory<int, few>>(few)) == few * (few + 1) / 2);
  BOOST_TEST((sum_of_copies<heap_memory<int, many>>(many)) == many * (many + 1) / 2);
}

BOOST_AUTO_TEST_CASE(elements_are_aligned) {
  for (int i = 0; i < 5; ++i) {
    BOOST_TEST(is_aligned(inline_memory<char, 3>{}));
    BOOST_TEST(is_aligned(heap_memory<char, 5001>{}));
  }
}

// A tensor that was moved from has no memory until it is assigned to.
BOOST_AUTO_TEST_CASE(moved_from) {
  using big = heap_memory<int, many>;
  big a;
  a.begin()[many - 1] = 9;
  int const* const at = a.begin();
  big b{std::move(a)};
  BOOST_TEST(b.begin() == at);
  BOOST_TEST(a.begin() == nullptr);
  big const of_nothing{a};
  BOOST_TEST(of_nothing.begin() == nullptr);
  a = b;
  BOOST_TEST(a.begin() != at);
  BOOST_TEST(a.begin()[many - 1] == 9);
  b = of_nothing;
  BOOST_TEST(b.begin() == nullptr);
  b.own();
  BOOST_REQUIRE(b.begin() != nullptr);
  int const* const own = b.begin();
  b.own();
  BOOST_TEST(b.begin() == own);
}

BOOST_AUTO_TEST_CASE(assignments_to_itself_and_by_move) {
  using big = heap_memory<int, many>;
  big a, b;
  a.begin()[0] = 1;
  b.begin()[0] = 2;
  big& same = a;
  a = same;
  BOOST_TEST(a.begin()[0] == 1);
  a = std::move(b);
  BOOST_TEST(a.begin()[0] == 2);
  BOOST_TEST(b.begin()[0] == 1);  // the memories are exchanged
}

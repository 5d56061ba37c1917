// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_philox
#include <boost/test/unit_test.hpp>

#include <espalier/base/philox.hpp>

using espalier::philox;
using espalier::philox_bits;
using espalier::philox_block;
using espalier::uniform_from_bits;

namespace {

constexpr bool same(philox_block a, philox_block b) {
  for (int i = 0; i < 4; ++i)
    if (a.word[i] != b.word[i]) return false;
  return true;
}

// The known answers published with Random123 for philox4x32, 10 rounds.
static_assert(same(philox({{0, 0, 0, 0}}, {{0, 0}}), {{0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}}));
static_assert(same(philox({{~0u, ~0u, ~0u, ~0u}}, {{~0u, ~0u}}),
                   {{0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}}));
static_assert(same(philox({{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}}, {{0xa4093822u, 0x299f31d0u}}),
                   {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}}));

BOOST_AUTO_TEST_CASE(known_answers_at_run_time) {
  philox_block counter{{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}};
  BOOST_TEST(
      same(philox(counter, {{0xa4093822u, 0x299f31d0u}}), {{0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}}));
}

BOOST_AUTO_TEST_CASE(element_i_is_word_i_mod_4_of_block_i_div_4) {
  std::uint64_t const key = 0x0123456789abcdefull, stream = 0xfedcba9876543210ull;
  for (std::int64_t i : {std::int64_t{0}, std::int64_t{5}, std::int64_t{1023}, (std::int64_t{1} << 34) + 7}) {
    auto const block = static_cast<std::uint64_t>(i / 4);
    philox_block const all =
        philox({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0x76543210u, 0xfedcba98u}},
               {{0x89abcdefu, 0x01234567u}});
    BOOST_TEST(philox_bits(i, key, stream) == all.word[i % 4]);
  }
}

BOOST_AUTO_TEST_CASE(uniform_numbers_are_below_one_and_exact) {
  static_assert(uniform_from_bits<float>(0) == 0.0f && uniform_from_bits<double>(0) == 0.0);
  static_assert(uniform_from_bits<float>(~0u) == 1.0f - 0x1p-24f && uniform_from_bits<float>(~0u) < 1.0f);
  static_assert(uniform_from_bits<double>(~0u) == 1.0 - 0x1p-32);
  static_assert(uniform_from_bits<float>(0x80000000u) == 0.5f && uniform_from_bits<double>(0x80000000u) == 0.5);
  static_assert(uniform_from_bits<float>(0xffu) == 0.0f && uniform_from_bits<float>(0x100u) == 0x1p-24f);
  BOOST_TEST(uniform_from_bits<float>(0x80000000u) == 0.5f);
}

BOOST_AUTO_TEST_CASE(moments) {
  double sum = 0, square = 0;
  constexpr int n = 40000;
  for (int i = 0; i < n; ++i) {
    auto const x = uniform_from_bits<double>(philox_bits(i, 42, 0));
    sum += x;
    square += x * x;
  }
  BOOST_TEST(sum / n == 0.5, boost::test_tools::tolerance(0.02));
  BOOST_TEST(square / n == 1.0 / 3, boost::test_tools::tolerance(0.02));
}

}  // namespace

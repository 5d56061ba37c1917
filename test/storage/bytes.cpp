// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE storage_bytes
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <espalier/storage/bytes.hpp>

using espalier::bytes;
using espalier::tensor_alignment;
using espalier::detail::block;
using espalier::detail::enough_bytes;

namespace {
bool is_aligned(void const* at) { return reinterpret_cast<std::uintptr_t>(at) % tensor_alignment == 0; }
bool is_zero(unsigned char const* at, std::size_t size) {
  return std::all_of(at, at + size, [](unsigned char byte) { return byte == 0; });
}
}  // namespace

BOOST_AUTO_TEST_CASE(room_of_the_user) {
  static_assert(sizeof(bytes<64>) == 64 && alignof(bytes<1>) == tensor_alignment);
  static_assert(sizeof(bytes<0>) == tensor_alignment && sizeof(bytes<65>) == 2 * tensor_alignment);
  static_assert(enough_bytes<64, 64>::agree && enough_bytes<65, 64>::agree && !enough_bytes<63, 64>::agree);
}

BOOST_AUTO_TEST_CASE(allocated_blocks_are_zero_and_aligned) {
  for (std::size_t const size : {1u, 64u, 1000u, 100000u}) {
    block const b{size};
    BOOST_TEST(static_cast<bool>(b));
    BOOST_TEST(is_aligned(b.at<unsigned char>(0)));
    BOOST_TEST(is_zero(b.at<unsigned char>(0), size));
  }
}

BOOST_AUTO_TEST_CASE(only_the_first_part_is_zeroed) {
  static bytes<128> room;
  std::memset(room.at, 7, sizeof room.at);
  block const b{room, 64};
  BOOST_TEST(is_zero(room.at, 64));
  BOOST_TEST(room.at[64] == 7);
  block const allocated{4096, 128};
  BOOST_TEST(is_zero(allocated.at<unsigned char>(0), 128));
}

// A block of the user's memory refers to it and does not release it.
BOOST_AUTO_TEST_CASE(memory_of_the_user_is_used_in_place) {
  static bytes<64> room;
  {
    block const b{room, 64};
    BOOST_TEST(b.at<unsigned char>(0) == room.at);
    *b.at<float>(8) = 1.5f;
  }
  float stored = 0;
  std::memcpy(&stored, room.at + 8, sizeof stored);
  BOOST_TEST(stored == 1.5f);
}

// The sanitizer's gate finds a block that is released twice or never.
BOOST_AUTO_TEST_CASE(memory_is_handed_over) {
  block first{64};
  *first.at<int>(0) = 42;
  void const* const at = first.at<void*>(0);
  block second{block::handed_over{}, first};
  BOOST_TEST(!first);
  BOOST_TEST(second.at<void*>(0) == at);
  first.adopt(second);
  BOOST_TEST(!second);
  BOOST_TEST(*first.at<int>(0) == 42);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_pack_workspace
#include <boost/test/unit_test.hpp>

#include <espalier/plan/pack_workspace.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

using espalier::plan::arena;
using espalier::plan::packer;

namespace {
struct value {
  std::int64_t size;
  int first, last;
};
struct packed {
  std::vector<std::int64_t> offsets;
  std::int64_t end, peak;
};
packed pack(std::vector<value> const& values, int groups) {
  auto const p = std::make_unique<packer>();
  for (value const& v : values) (void)p->add(v.size, v.first, v.last);
  p->assign_offsets(groups);
  packed result{{}, p->end(), p->peak()};
  for (std::size_t i = 0; i < values.size(); ++i) result.offsets.push_back(p->offset(static_cast<int>(i)));
  return result;
}
/// Checks that values which live at the same time lie apart, and that the peak is the most that lives at once.
void check(std::vector<value> const& values, int groups) {
  packed const p = pack(values, groups);
  std::int64_t end = 0, peak = 0;
  for (int x = 1; x <= groups; ++x) {
    std::int64_t live = 0;
    for (value const& v : values) live += v.first <= x && x <= v.last ? v.size : 0;
    peak = std::max(peak, live);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    value const& a = values[i];
    BOOST_REQUIRE(p.offsets[i] >= 0);
    end = std::max(end, p.offsets[i] + a.size);
    for (std::size_t k = 0; k < i; ++k) {
      value const& b = values[k];
      if (a.last < b.first || b.last < a.first) continue;
      BOOST_REQUIRE((p.offsets[i] + a.size <= p.offsets[k] || p.offsets[k] + b.size <= p.offsets[i]));
    }
  }
  BOOST_TEST(p.end == end);
  BOOST_TEST(p.peak == peak);
}
std::vector<value> random_values(int count, int groups, unsigned seed) {
  std::mt19937 random{seed};
  std::vector<value> values;
  for (int i = 0; i < count; ++i) {
    int const first = 1 + static_cast<int>(random() % static_cast<unsigned>(groups));
    int const last = std::min(groups, first + static_cast<int>(random() % 4));
    values.push_back({16 * (1 + static_cast<std::int64_t>(random() % 9)), first, last});
  }
  return values;
}
}  // namespace

BOOST_AUTO_TEST_CASE(gaps_are_reused_and_joined) {
  constexpr auto test = [] {
    arena a;
    std::int64_t const first = a.allocate(16), second = a.allocate(32), third = a.allocate(16);
    bool ok = first == 0 && second == 16 && third == 48 && a.end() == 64;
    a.release(first, 16);
    a.release(third, 16);
    ok = ok && a.allocate(32) == 64;  // neither gap is wide enough
    a.release(second, 32);            // joins both
    return ok && a.allocate(64) == 0 && a.end() == 96;
  };
  static_assert(test());
}

BOOST_AUTO_TEST_CASE(the_lowest_gap_that_is_wide_enough) {
  constexpr auto test = [] {
    arena a;
    for (int i = 0; i < 6; ++i) (void)a.allocate(16);
    a.release(16, 16);
    a.release(48, 32);
    return a.allocate(32) == 48 && a.allocate(16) == 16 && a.allocate(16) == 96;
  };
  static_assert(test());
}

BOOST_AUTO_TEST_CASE(values_that_live_one_after_the_other_share_memory) {
  packed const p = pack({{64, 1, 2}, {64, 3, 4}, {64, 5, 6}}, 6);
  BOOST_TEST(p.offsets == (std::vector<std::int64_t>{0, 0, 0}));
  BOOST_TEST((p.end == 64 && p.peak == 64));
}

// A value still lives while the group runs that reads it last.
BOOST_AUTO_TEST_CASE(reader_and_writer_do_not_share) {
  packed const p = pack({{64, 1, 2}, {32, 2, 3}}, 3);
  BOOST_TEST((p.end == 96 && p.peak == 96));
}

BOOST_AUTO_TEST_CASE(nothing_to_pack) {
  packed const p = pack({}, 3);
  BOOST_TEST((p.end == 0 && p.peak == 0));
}

BOOST_AUTO_TEST_CASE(a_life_can_be_extended) {
  auto const p = std::make_unique<packer>();
  int const a = p->add(16, 1, 1), b = p->add(16, 2, 3);
  p->extend(a, 3);
  p->extend(b, 2);  // earlier than its end: no change
  p->assign_offsets(3);
  BOOST_TEST(p->offset(a) != p->offset(b));
  BOOST_TEST(p->end() == 32);
}

// Up to 256 values are placed by size, more in the order of their lives.
BOOST_AUTO_TEST_CASE(random_values_of_both_methods) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    check(random_values(20, 10, seed), 10);
    check(random_values(256, 100, seed), 100);
    check(random_values(257, 100, seed), 100);
    check(random_values(600, 300, seed), 300);
  }
}

// SPDX-License-Identifier: BSL-1.0
// The algebra of index maps against what they do to each element, on maps drawn at random.
#define BOOST_TEST_MODULE shape_index_map
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/shape/movements.hpp>

#include "support/random_program.hpp"

using namespace espalier;

namespace {

/// Where each element of the result comes from, by coordinates.
std::vector<std::int64_t> walked(index_map const& m, extents const& from, extents const& to) {
  std::vector<std::int64_t> all;
  std::vector<int> i(static_cast<std::size_t>(to.rank) + 1);
  for (std::int64_t count = 0; count < to.size(); ++count) {
    std::int64_t offset = 0;
    bool inside = true;
    for (int a = 0; a < from.rank; ++a) {
      int at = m.start[a];
      for (int k = 0; k < to.rank; ++k)
        if (m.source[k] == a) at += m.step[k] * i[static_cast<std::size_t>(k)];
      inside = inside && at >= 0 && at % m.divisor[a] == 0 && at / m.divisor[a] < from.at[a];
      offset = offset * from.at[a] + at / m.divisor[a];
    }
    all.push_back(inside ? offset : -1);
    for (int k = to.rank - 1; k >= 0; --k) {
      if (++i[static_cast<std::size_t>(k)] < to.at[k]) break;
      i[static_cast<std::size_t>(k)] = 0;
    }
  }
  return all;
}
std::vector<std::int64_t> offsets(index_map const& m, extents const& from, extents const& to) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < to.size(); ++i) all.push_back(moved_offset(m, from, to, i));
  return all;
}

extents random_extents(test::dice& roll, int rank) {
  extents s{};
  for (int i = 0; i < rank; ++i) s.push(1 + roll(4));
  return s;
}
/// A map of an operand of extents s; `total`: one that never leaves it.
movement random_map(test::dice& roll, extents const& s, bool total, bool repeats) {
  movement m{index_map{}, extents{}};
  for (int a = 0; a < s.rank; ++a) {
    m.map.divisor[a] = total ? 1 : 1 + roll(3) * roll(2);
    m.map.start[a] = total ? roll(s.at[a]) : roll(7) - 3;
    int const axes = repeats && m.map.rank < 4 ? roll(3) : 1;
    int left = s.at[a] - 1 - m.map.start[a], right = m.map.start[a];
    for (int k = 0; k < axes; ++k) {
      int const step = (roll(2) ? 1 : -1) * (1 + roll(2));
      int const room = (step > 0 ? left / step : right / -step) + 1;
      int const extent = total ? 1 + roll(room) : 1 + roll(4);
      (step > 0 ? left : right) -= (extent - 1) * (step > 0 ? step : -step);
      m.map.source[m.map.rank] = a;
      m.map.step[m.map.rank++] = step;
      m.shape.push(extent);
    }
  }
  return m;
}

template <class F>
void many(F check) {
  test::dice roll{7};
  for (int i = 0; i < 2000; ++i) check(roll);
}

template <class Outer, class Inner, int... E>
constexpr index_map after() {
  movement const inner = Inner::of(shape<E...>::value);
  return composed(Outer::of(inner.shape).map, inner.map);
}
static_assert(after<flipping<0, 2>, flipping<2, 0>, 3, 4, 5>() == identity_map(3));
static_assert(after<undilating<2, 1>, dilating<2, 1>, 3, 4>() == identity_map(2));
static_assert(after<undilating<1, 0>, dilating<3, 0>, 5>() == dilating<1, 0>::of(shape<5>::value).map);
static_assert(after<slicing<1, 2, 6, 1>, padded_by<false, 0, 0, 2, 3>, 3, 4>() == identity_map(2));
static_assert(after<slicing<0, 1, 4, 2>, slicing<0, 8, 1, -2>, 9>() == slicing<0, 6, 1, -4>::of(shape<9>::value).map);
static_assert(renames(selecting<0, 0>::of(shape<1, 4>::value).map, shape<1, 4>::value, shape<4>::value));
static_assert(!renames(flipping<>::of(shape<4>::value).map, shape<4>::value, shape<4>::value));

}  // namespace

BOOST_AUTO_TEST_CASE(an_offset_matches_its_coordinates) {
  many([](test::dice& roll) {
    extents const s = random_extents(roll, roll(4));
    movement const m = random_map(roll, s, false, true);
    BOOST_TEST(offsets(m.map, s, m.shape) == walked(m.map, s, m.shape), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(one_map_after_another) {
  many([](test::dice& roll) {
    extents const s = random_extents(roll, roll(3));
    movement const inner = random_map(roll, s, false, true);
    movement const outer = random_map(roll, inner.shape, true, inner.shape.rank < 4);
    auto expected = offsets(outer.map, inner.shape, outer.shape);
    auto const first = offsets(inner.map, s, inner.shape);
    for (auto& at : expected) at = first[static_cast<std::size_t>(at)];
    BOOST_TEST(offsets(composed(outer.map, inner.map), s, outer.shape) == expected, boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(the_adjoint_goes_back) {
  many([](test::dice& roll) {
    extents const s = random_extents(roll, roll(4));
    movement const m = random_map(roll, s, false, false);
    auto const forward = offsets(m.map, s, m.shape), back = offsets(inverted(m.map), m.shape, s);
    std::vector<std::int64_t> expected(back.size(), -1);
    for (std::size_t i = 0; i < forward.size(); ++i)
      if (forward[i] >= 0) expected[static_cast<std::size_t>(forward[i])] = static_cast<std::int64_t>(i);
    BOOST_TEST(back == expected, boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(properties_of_a_map_are_correct) {
  int totals = 0, names = 0;
  many([&](test::dice& roll) {
    extents const s = random_extents(roll, roll(4));
    movement const m = random_map(roll, s, roll(2) != 0, roll(2) != 0);
    auto const at = offsets(m.map, s, m.shape);
    bool inside = true, same = s.size() == m.shape.size(), divides = false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      inside = inside && at[i] >= 0;
      same = same && at[i] == static_cast<std::int64_t>(i);
    }
    for (int a = 0; a < s.rank; ++a) divides = divides || m.map.divisor[a] != 1;
    bool const total = is_total(m.map, s, m.shape), name = renames(m.map, s, m.shape);
    if (!divides) BOOST_TEST(total == inside);
    if (total) BOOST_TEST(inside);
    if (name) BOOST_TEST(same);
    totals += total;
    names += name;
    // One to one: no element is taken twice. (Windows of one element each are no windows.)
    std::vector<int> used(static_cast<std::size_t>(s.size()));
    bool twice = false;
    for (auto const from : at)
      if (from >= 0) twice = twice || used[static_cast<std::size_t>(from)]++ != 0;
    if (is_one_to_one(m.map, s, m.shape)) BOOST_TEST(!twice);
    BOOST_TEST(offsets(reduced_map(m.map), s, m.shape) == at, boost::test_tools::per_element());
  });
  BOOST_TEST(totals > 200);
  BOOST_TEST(names > 20);
}

BOOST_AUTO_TEST_CASE(the_range_of_a_walk) {
  many([](test::dice& roll) {
    extents const s = random_extents(roll, 1 + roll(2));
    movement const m = random_map(roll, s, false, true);
    for (int a = 0; a < s.rank; ++a) {
      index_range const r = range_of(m.map, m.shape, a);
      int low = m.map.start[a], high = low;
      for (int corner = 0; corner < 1 << m.map.rank; ++corner) {
        int at = m.map.start[a];
        for (int k = 0; k < m.map.rank; ++k)
          if (m.map.source[k] == a && (corner >> k & 1)) at += m.map.step[k] * (m.shape.at[k] - 1);
        low = at < low ? at : low;
        high = at > high ? at : high;
      }
      BOOST_TEST(r.low == low);
      BOOST_TEST(r.high == high);
    }
  });
}

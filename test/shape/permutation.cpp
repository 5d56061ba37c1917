// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_permutation
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>

#include <espalier/shape/permutation.hpp>

using namespace espalier;

static_assert(packed_permutation(0, 3, 1, 2) == 0x2130);
static_assert(packed_permutation() == 0);
static_assert(swap_permutation(4, 1, 3) == packed_permutation(0, 3, 2, 1));
static_assert(swap_permutation(3, 2, 2) == packed_permutation(0, 1, 2));
static_assert(permuted_extents(extents{4, {2, 3, 5, 7}}, packed_permutation(0, 3, 1, 2)) == extents{4, {2, 7, 3, 5}});

namespace {

using order = std::array<int, max_rank>;

std::uint64_t packed(order const& axes, int rank) {
  std::uint64_t r = 0;
  for (int i = 0; i < rank; ++i) r |= packed_axis(i, axes[static_cast<std::size_t>(i)]);
  return r;
}
/// Calls f with every permutation of `rank` axes.
template <class F>
void for_all_orders(int rank, F const& f) {
  order axes{0, 1, 2, 3, 4, 5};
  do f(axes);
  while (std::next_permutation(axes.begin(), axes.begin() + rank));
}

}  // namespace

BOOST_AUTO_TEST_CASE(axes_come_back) {
  for (int rank = 1; rank <= max_rank; ++rank)
    for_all_orders(rank, [&](order const& axes) {
      std::uint64_t const p = packed(axes, rank);
      for (int i = 0; i < rank; ++i) BOOST_TEST(axis_behind(p, i) == axes[static_cast<std::size_t>(i)]);
    });
}

BOOST_AUTO_TEST_CASE(a_permutation_and_its_inverse_cancel) {
  for (int rank = 1; rank <= max_rank; ++rank)
    for_all_orders(rank, [&](order const& axes) {
      std::uint64_t const p = packed(axes, rank), identity = swap_permutation(rank, 0, 0);
      BOOST_TEST(composed_permutation(p, inverse_permutation(p, rank), rank) == identity);
      BOOST_TEST(composed_permutation(inverse_permutation(p, rank), p, rank) == identity);
    });
}

BOOST_AUTO_TEST_CASE(composition_is_one_permutation_after_the_other) {
  extents const s{4, {2, 3, 5, 7}};
  for_all_orders(4, [&](order const& first) {
    for_all_orders(4, [&](order const& second) {
      std::uint64_t const p = packed(first, 4), q = packed(second, 4);
      BOOST_TEST((permuted_extents(permuted_extents(s, p), q) == permuted_extents(s, composed_permutation(p, q, 4))));
    });
  });
}

BOOST_AUTO_TEST_CASE(masks_follow_their_axes) {
  extents const s{4, {2, 3, 5, 7}};
  for_all_orders(4, [&](order const& axes) {
    std::uint64_t const p = packed(axes, 4);
    extents const t = permuted_extents(s, p);
    for (unsigned mask = 0; mask < 16; ++mask) {
      int masked = 1, behind = 1;
      for (int i = 0; i < 4; ++i) {
        if (mask >> i & 1u) masked *= t.at[i];
        if (axes_behind(p, 4, mask) >> i & 1u) behind *= s.at[i];
      }
      BOOST_TEST(masked == behind);
    }
  });
}

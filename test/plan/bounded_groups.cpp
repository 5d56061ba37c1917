// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_bounded_groups
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "support/bounded.hpp"

using namespace test;
using plan::bounded_loop;

namespace {
struct over_columns {
  constexpr auto operator()(auto x) const { return x - esp::max<1>(x, esp::keepdims); }
};
struct over_samples {
  constexpr auto operator()(auto x) const { return esp::sum<0>(tanh(x)); }
};
struct over_images {
  constexpr auto operator()(auto x) const { return esp::sum<0, 2, 3>(tanh(x)); }
};
struct activation {
  constexpr auto operator()(auto x) const { return tanh(x); }
};
struct mean_of_squares {
  constexpr auto operator()(auto x) const { return esp::mean(x * x); }
};
struct product {
  constexpr auto operator()(auto x, auto w) const { return relu(matmul(x, w)); }
};
struct gradient_of_weights {
  constexpr auto operator()(auto x) const { return matmul(esp::transpose(x), x); }
};
struct padded {
  constexpr auto operator()(auto x) const { return esp::pad<0, 0, 0, 0, 1, 1, 1, 1>(x); }
};
/// The penalty of the weights has the extents of the samples, and the fixed scale would join the samples' group.
struct of_equal_extents {
  constexpr auto operator()(auto x, auto w) const {
    auto const s = sum(x);
    return std::tuple{tanh(x) * s, w * s};
  }
};
template <class P>
std::vector<bounded_loop> loops(P const& p, int* fault = nullptr) {
  auto const planned = p.plan();
  std::unique_ptr<plan::bounded_groups const> const found{
      new plan::bounded_groups(plan::bind_loops(*p.bounded, *planned))};
  if (fault != nullptr) *fault = found->fault;
  else BOOST_TEST(found->fault == 0);
  std::vector<bounded_loop> r;
  for (int x = 1; x <= planned->groups.group_count; ++x) r.push_back(found->of[x].loop);
  return r;
}
bool is(std::vector<bounded_loop> const& found, std::vector<bounded_loop> const& expected) { return found == expected; }
}  // namespace

BOOST_AUTO_TEST_CASE(the_loop_of_the_samples_is_the_outermost_one) {
  BOOST_TEST(is(loops(bounded_passes<over_columns, rows_of_eight>{}), {bounded_loop::rows}));
  BOOST_TEST(is(loops(bounded_passes<over_samples, rows_of_eight>{}), {bounded_loop::rows}));
  BOOST_TEST(is(loops(bounded_passes<over_images, images_of_two>{}), {bounded_loop::segments}));
  BOOST_TEST(is(loops(bounded_passes<activation, rows_of_eight>{}), {bounded_loop::line}));
  BOOST_TEST(is(loops(bounded_passes<mean_of_squares, rows_of_eight>{}), {bounded_loop::line}));
  BOOST_TEST(is(loops(bounded_passes<padded, images_of_two>{}), {bounded_loop::outer}));
}
BOOST_AUTO_TEST_CASE(products_have_rows_or_terms_of_samples) {
  BOOST_TEST(is(loops(bounded_passes<product, rows_of_eight, eight_by_four>{}), {bounded_loop::rows}));
  BOOST_TEST(is(loops(bounded_passes<gradient_of_weights, rows_of_eight>{}), {bounded_loop::terms}));
}
// 64 rows of weights are never taken for 64 samples: either they have a group of their own, or the plan has a fault.
BOOST_AUTO_TEST_CASE(a_group_of_samples_and_of_weights_is_a_fault) {
  int fault = -1;
  std::vector<bounded_loop> const found =
      loops(bounded_passes<of_equal_extents, rows_of_eight, sixty_four_by_eight>{}, &fault);
  bool const apart = std::count(found.begin(), found.end(), bounded_loop::fixed) > 0;
  BOOST_TEST((apart || fault != 0));
}

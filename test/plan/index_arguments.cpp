// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE plan_index_arguments
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>

namespace esp = espalier;
using esp::shape;

namespace {
template <int... N>
using real = esp::borrowed<float, shape<N...>>;
template <int... N>
using integers = esp::borrowed<std::int32_t, shape<N...>>;
template <class F, class... X>
using program_of = esp::detail::compiled_program<F, X...>;

inline constexpr auto labels_only = [](auto x, auto i) { return pick(x, i); };
inline constexpr auto rows = [](auto x, auto i) { return index_select<0>(x, i) * sum(pick(x, i)); };
// The table of 5 rows limits the index that also reads one of 9; the other index reads an axis of 4.
inline constexpr auto several = [](auto a, auto i, auto b, auto k) {
  return std::tuple{index_select<0>(a, esp::reshape<6>(i)), index_select<0>(b, i), gather<1>(a, k)};
};
inline constexpr auto sums = [](auto x, auto i, auto s) { return scatter_add<0>(x, i, s); };
inline constexpr auto gradient = [](auto x, auto i) {
  return esp::grad<0>([](auto a, auto k) { return sum(index_select<0>(a, k)); })(x, i);
};
// Two loops of one count, and a table that the count reads, too.
inline constexpr auto loops = [](auto x, auto n) {
  auto const half = [](auto const& s) { return 0.5 * s; };
  return esp::repeat<5>(half, x, n) + esp::repeat<9>(half, x, n);
};
inline constexpr auto loop_and_table = [](auto x, auto n) {
  return esp::repeat<5>([](auto const& s) { return 0.5 * s; }, index_select<0>(x, n), n);
};

template <class F, class... X>
constexpr auto found = esp::plan::index_arguments_of<program_of<F, X...>>;
constexpr bool is(esp::plan::index_argument const& x, int position, std::int64_t count, int extent) {
  return x.position == position && x.count == count && x.extent == extent;
}

static_assert(found<decltype(labels_only), real<3, 7>, integers<3>>.count == 0);
static_assert(!esp::plan::has_indices<program_of<decltype(labels_only), real<3, 7>, integers<3>>>);
static_assert(esp::plan::has_indices<program_of<decltype(rows), real<3, 7>, integers<3>>>);
static_assert(is(found<decltype(rows), real<3, 7>, integers<3>>.at[0], 1, 3, 3));
static_assert([] {
  constexpr auto r = found<decltype(several), real<5, 4>, integers<2, 3>, real<9, 2>, integers<5, 3>>;
  return r.count == 2 && is(r.at[0], 1, 6, 5) && is(r.at[1], 3, 15, 4);
}());
static_assert(is(found<decltype(sums), real<4, 2>, integers<6, 2>, real<6, 2>>.at[0], 1, 12, 4));
// The value is not needed for the gradient, the index is.
static_assert(found<decltype(gradient), real<5, 2>, integers<7>>.count == 1);
static_assert(is(found<decltype(gradient), real<5, 2>, integers<7>>.at[0], 1, 7, 5));
// A loop of up to 5 steps accepts 0 to 5.
static_assert(is(found<decltype(loops), real<3, 2>, integers<>>.at[0], 1, 1, 6));
static_assert(found<decltype(loops), real<3, 2>, integers<>>.count == 1);
static_assert(found<decltype(loops), real<3, 2>, integers<>>.at[0].is_step_count);
static_assert(is(found<decltype(loop_and_table), real<3, 2>, integers<1>>.at[0], 1, 1, 3));
static_assert(!found<decltype(loop_and_table), real<3, 2>, integers<1>>.at[0].is_step_count);
static_assert(esp::plan::counts_steps<program_of<decltype(loops), real<3, 2>, integers<>>>);
static_assert(!esp::plan::counts_steps<program_of<decltype(rows), real<3, 7>, integers<3>>>);
}  // namespace

BOOST_AUTO_TEST_CASE(by_the_compiler) {}

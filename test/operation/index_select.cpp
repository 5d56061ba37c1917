// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_index_select
#include <espalier/parallel.hpp>

#include <espalier/eager/compiled.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Axis>
struct selected {
  constexpr auto operator()(auto x, auto index) const { return index_select<Axis>(x, index) * 2; }
};
template <int Axis>
struct selected_cube {
  constexpr auto operator()(auto x, auto index) const { return index_select<Axis>(x * x * x, index); }
};
inline constexpr auto lookup = [](auto table, auto index) { return sum(square(index_select<0>(table, index))); };

constexpr tensor<float, shape<3, 2>> table{{1, 2}, {3, 4}, {5, 6}};
constexpr tensor<std::int32_t, shape<2, 2>> words{{2, 0}, {1, 2}};
static_assert(tensor<float, shape<2, 2, 2>>{index_select<0>(table, words)} ==
              tensor<float, shape<2, 2, 2>>{{{5, 6}, {1, 2}}, {{3, 4}, {5, 6}}});
static_assert(tensor<float, shape<3>>{index_select<1>(table, tensor<std::int32_t, shape<>>{1})} ==
              tensor<float, shape<3>>{2, 4, 6});
static_assert(esp::grad<0>(lookup)(table, words) == tensor<float, shape<3, 2>>{{2, 4}, {6, 8}, {20, 24}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const x = floats<3, 7, 5>(1);
  auto const i = labels<2, 4>(2, 7);
  tensor<float, shape<3, 2, 4, 5>> const y = index_select<1>(x, i);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 4; ++c)
        for (int d = 0; d < 5; ++d) BOOST_TEST(y(a, b, c, d) == x(a, i(b, c), d));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", selected<0>{}, floats<5, 33>(1), labels<7>(2, 5));
  check_kernels("columns", selected_cube<1>{}, doubles<5, 9>(1), labels<20>(2, 9));
  check_kernels("in the middle", selected_cube<1>{}, floats<3, 4, 5>(1), labels<2, 3>(2, 4));
  check_kernels("one", selected_cube<-1>{}, doubles<3, 4>(1), labels<>(2, 4));
  check_kernels("of a vector", selected<0>{}, floats<9>(1), labels<3, 5>(2, 9));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("rows", selected_cube<0>{}, doubles<5, 3>(1), labels<2, 3>(2, 5));
  check_pullback("columns", selected_cube<1>{}, doubles<2, 5>(1), labels<7>(2, 5));
  check_pullback("in the middle", selected_cube<1>{}, doubles<2, 4, 3>(1), labels<6>(2, 4));
}

// A row that is read several times sums its gradients in the order of the indices, whatever number of threads computes
// them: rows of one part, outer positions of one part, and columns that are single elements.
template <int Axis, class X, class I>
void check_threads(X const& x, I const& index) {
  constexpr auto select = [](auto at, auto i) { return index_select<Axis>(at, i); };
  constexpr auto gradient = [](auto at, auto i) {
    return esp::grad<0>([](auto of, auto k) { return sum(square(square(index_select<Axis>(of, k)))); })(at, i);
  };
  using Y = decltype(evaluate(index_select<Axis>(x, index)));
  Y one, three;
  esp::compiled run{select, x, index};
  esp::compiled run_on_three{esp::cpu_parallel<3>{}, select, x, index};
  run(x, index, one);
  run_on_three(x, index, three);
  BOOST_TEST((one == three));
  X dx, dx_on_three;
  esp::compiled back{gradient, x, index};
  esp::compiled back_on_three{esp::cpu_parallel<3>{}, gradient, x, index};
  back(x, index, dx);
  back_on_three(x, index, dx_on_three);
  BOOST_TEST((dx == dx_on_three));
  X expected;
  using S = esp::shape_of<X>;
  constexpr std::int64_t inner = S::value.product(Axis + 1, S::rank), n = S::value.at[Axis];
  for (std::int64_t o = 0; o < X::size() / n / inner; ++o)
    for (int k : index)
      for (std::int64_t e = 0; e < inner; ++e) {
        std::int64_t const at = (o * n + k) * inner + e;
        expected[at] += 4 * (x[at] * x[at] * x[at]);
      }
  check_close("in the order of the indices", dx, expected);
}
BOOST_AUTO_TEST_CASE(any_number_of_threads) {
  check_threads<0>(floats<1000, 80>(1), labels<900>(2, 30));
  check_threads<1>(floats<40, 50, 33>(3), labels<60>(4, 50));
  check_threads<0>(floats<90000>(5), labels<70000>(6, 500));
  check_threads<0>(floats<3, 30000>(7), labels<5>(8, 3));
}

// SPDX-License-Identifier: BSL-1.0
// Kernels in parts: in any order, beside others or alone, parts give the bits of one run.
#define BOOST_TEST_MODULE device_cpu_thread_parts
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/device/cpu/thread/parallel.hpp>
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include "support/numbers.hpp"
#include "support/result_sizes.hpp"

using namespace test;
using esp::shape, esp::tensor;
namespace on_cpu = espalier::on_cpu;

namespace {

/// Runs parts last to first, as two threads in turns, with other things on the stack between them, and counts the jobs.
struct backwards {
  static constexpr int threads = 2;
  mutable int jobs = 0;
  void run(int parts, void (*f)(void const*, int, int), void const* context) const {
    ++jobs;
    for (int which = parts - 1; which >= 0; --which) f(context, which, which % threads);
  }
};

/// The results of a function, run by a team.
template <class F, class Team, class... X>
auto results(Team const& team, X const&... x) {
  using Program = esp::detail::compiled_program<F, esp::detail::eager_leaf<X>...>;
  using T = typename esp::detail::shared_element<esp::detail::eager_leaf<X>...>::type;
  std::vector<std::vector<T>> r;
  std::vector<unsigned char> workspace(on_cpu::run_bytes<Program, T, Team::threads> + 64);
  void* base[esp::plan::base::count]{};
  void* const start = workspace.data();
  base[esp::plan::base::workspace] = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(start) + 63) / 64 * 64);
  int position = 0;
  ((base[esp::plan::base::arguments + position++] = const_cast<void*>(static_cast<void const*>(x.data()))), ...);
  for (test::result_size const& each : test::result_sizes<Program>) r.emplace_back(each.size, T(77));
  std::size_t result = 0;
  for (test::result_size const& each : test::result_sizes<Program>)
    base[esp::plan::base::results + each.index] = r[result++].data();
  on_cpu::run_in_workspace<Program, T>(base, team);
  return r;
}

/// jobs: how many kernels of the function have parts, at least; -1 for none.
template <class F, class... X>
void check(int jobs, F, X const&... x) {
  auto const expected = results<F>(on_cpu::one_thread{}, x...);
  backwards const reverse;
  BOOST_TEST((results<F>(reverse, x...) == expected), "parts in another order");
  BOOST_TEST((jobs < 0 ? reverse.jobs == 0 : reverse.jobs >= jobs), reverse.jobs << " kernels have parts");
  BOOST_TEST((results<F>(on_cpu::team<3>{}, x...) == expected), "three threads");
}

struct transposed {
  constexpr auto operator()(auto x) const { return transpose(x); }
};
struct sliced {
  constexpr auto operator()(auto x) const {
    return std::tuple{slice<0, 1, 300, 2>(x), slice<1, -1, 0, -3>(x), slice<0, 5, 6>(x)};
  }
};
struct padded {
  constexpr auto operator()(auto x) const { return pad<1, 2, 3, 4>(x); }
};
struct concatenated {
  constexpr auto operator()(auto a, auto b) const { return concatenate<1>(a, b); }
};
struct reduced_in_the_middle {
  constexpr auto operator()(auto x) const { return std::tuple{sum<1>(x), max<1>(x)}; }
};
struct broadcast_in_the_middle {
  constexpr auto operator()(auto x) const { return esp::broadcast_to<shape<40, 100, 50>>(x); }
};
struct pooled_sum {
  constexpr auto operator()(auto x, auto dy) const {
    return sum(average_pool2d<esp::rows_columns{3, 3}, esp::pooling{.stride = {2, 2}}>(x) * dy);
  }
};
struct pooled {
  constexpr auto operator()(auto x, auto dy) const {
    return std::tuple{max_pool2d<esp::rows_columns{2, 2}>(x), esp::grad<0>(pooled_sum{})(x, dy)};
  }
};
struct normalized_sum {
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return sum((esp::normalize<1>(x, 1e-5) * w + b) * dy);
  }
};
struct normalized {
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return std::tuple{esp::normalize<1>(x, 1e-5) * w + b, esp::grad<0>(normalized_sum{})(x, w, b, dy),
                      esp::grad<1>(normalized_sum{})(x, w, b, dy), esp::grad<2>(normalized_sum{})(x, w, b, dy)};
  }
};
struct columns_normalized_sum {
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return sum((esp::normalize<0>(x, 1e-5) * w + b) * dy);
  }
};
struct columns_normalized {
  constexpr auto operator()(auto x, auto w, auto b, auto dy) const {
    return std::tuple{esp::normalize<0>(x, 1e-5) * w + b, esp::grad<0>(columns_normalized_sum{})(x, w, b, dy),
                      esp::grad<1>(columns_normalized_sum{})(x, w, b, dy),
                      esp::grad<2>(columns_normalized_sum{})(x, w, b, dy)};
  }
};
struct softened {
  constexpr auto operator()(auto x) const { return std::tuple{softmax<1>(x), logsumexp<1>(x)}; }
};
struct long_row {
  constexpr auto operator()(auto a, auto b) const { return std::tuple{a * b + exp(a), sum(a * b), max(a)}; }
};
struct long_formula {
  constexpr auto operator()(auto a, auto b) const { return a * b + exp(a); }
};
struct column_sums {
  constexpr auto operator()(auto x) const { return std::tuple{sum<0>(x), sum<0>(x * x), sum(x)}; }
};
struct products {
  constexpr auto operator()(auto a, auto b, auto bias) const {
    return std::tuple{relu(matmul(a, b) + bias), matmul(transpose(a), a), matmul(b, transpose(b))};
  }
};
struct batched {
  constexpr auto operator()(auto a, auto b) const { return matmul(a, b); }
};
struct convolved_sum {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return sum(esp::conv2d<esp::convolution{.padding = 1}>(x, w) * dy);
  }
};
struct convolved {
  constexpr auto operator()(auto x, auto w, auto dy) const {
    return std::tuple{esp::conv2d<esp::convolution{.padding = 1}>(x, w), esp::grad<0>(convolved_sum{})(x, w, dy),
                      esp::grad<1>(convolved_sum{})(x, w, dy)};
  }
};
struct convolved_with_bias {
  constexpr auto operator()(auto x, auto w, auto b) const {
    return relu(esp::conv2d<esp::convolution{.padding = 1}>(x, w) + b);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(movement) {
  check(1, transposed{}, floats<300, 401>(1));
  check(-1, transposed{}, floats<30, 41>(1));
  check(2, sliced{}, floats<301, 900>(1));
  check(1, padded{}, floats<301, 600>(1));
  check(1, concatenated{}, floats<129, 300>(1), floats<129, 401>(2));
}
BOOST_AUTO_TEST_CASE(the_middle_of_a_shape) {
  check(2, reduced_in_the_middle{}, floats<40, 30, 77>(1));
  check(1, broadcast_in_the_middle{}, floats<40, 1, 50>(1));
}
BOOST_AUTO_TEST_CASE(windows) { check(2, pooled{}, floats<9, 33, 33, 16>(1), floats<9, 16, 16, 16>(2)); }
BOOST_AUTO_TEST_CASE(convolutions) {
  check(3, convolved{}, floats<9, 20, 20, 16>(1), floats<3, 3, 16, 24>(2), floats<9, 20, 20, 24>(3));
  check(1, convolved_with_bias{}, floats<9, 20, 20, 16>(1), floats<3, 3, 16, 24>(2), floats<24>(3));
}
BOOST_AUTO_TEST_CASE(rows) {
  check(1, normalized{}, floats<301, 517>(1), floats<1, 517>(2), floats<1, 517>(3), floats<301, 517>(4));
  check(1, normalized{}, doubles<301, 517>(1), doubles<1, 517>(2), doubles<1, 517>(3), doubles<301, 517>(4));
  check(-1, normalized{}, floats<30, 50>(1), floats<1, 50>(2), floats<1, 50>(3), floats<30, 50>(4));
  check(1, softened{}, floats<130, 1111>(1));
}
BOOST_AUTO_TEST_CASE(long_rows) {
  check(1, long_row{}, floats<150001>(1), floats<150001>(2));
  check(1, long_formula{}, floats<150001>(1), floats<150001>(2));
  check(1, long_formula{}, floats<16, 70, 130>(1), floats<16, 70, 130>(2));
  check(-1, long_row{}, floats<1001>(1), floats<1001>(2));
}
BOOST_AUTO_TEST_CASE(columns) {
  check(0, columns_normalized{}, floats<301, 517>(1), floats<1, 517>(2), floats<1, 517>(3), floats<301, 517>(4));
  check(0, columns_normalized{}, doubles<301, 517>(1), doubles<1, 517>(2), doubles<1, 517>(3), doubles<301, 517>(4));
  check(-1, columns_normalized{}, floats<30, 50>(1), floats<1, 50>(2), floats<1, 50>(3), floats<30, 50>(4));
  check(0, column_sums{}, floats<1500, 61>(1));
}
BOOST_AUTO_TEST_CASE(matrix_products) {
  check(1, products{}, floats<157, 203>(1), floats<203, 171>(2), floats<1, 171>(3));
  check(1, products{}, doubles<257, 203>(1), doubles<203, 171>(2), doubles<1, 171>(3));
  check(-1, products{}, floats<15, 20>(1), floats<20, 17>(2), floats<1, 17>(3));
  check(1, batched{}, floats<12, 90, 80>(1), floats<12, 80, 70>(2));
}

// SPDX-License-Identifier: BSL-1.0
// exp, log, sqrt and tanh as the compiler computes them, along a grid of arguments, against what runs: the platform's
// functions and the kernels.
#define BOOST_TEST_MODULE constexpr_functions
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;

namespace {

constexpr int points = 256;
using row = esp::tensor<float, esp::shape<points>>;

/// Evenly from low to high.
constexpr row evenly(float low, float high) {
  row x;
  for (int i = 0; i < points; ++i) x[i] = low + (high - low) * (static_cast<float>(i) / (points - 1));
  return x;
}
/// Of every size: four numbers in each of `points` / 4 powers of two from 2^first on.
constexpr row of_every_size(int first) {
  row x;
  for (int i = 0; i < points; ++i)
    x[i] = std::bit_cast<float>(static_cast<std::uint32_t>((i / 4 + first + 127) << 23 | (i % 4) * 0x2aaaaa));
  return x;
}

/// Numbers of type float between a and b.
std::int64_t steps_between(float a, float b) {
  auto const ordered = [](float x) {
    auto const bits = std::bit_cast<std::int32_t>(x);
    return bits < 0 ? -static_cast<std::int64_t>(bits & 0x7fffffff) : static_cast<std::int64_t>(bits);
  };
  std::int64_t const steps = ordered(a) - ordered(b);
  return steps < 0 ? -steps : steps;
}

template <class F>
void compare(char const* name, row const& x, row const& constant, row const& kernel, F const& platform) {
  std::int64_t from_platform = 0, from_kernel = 0;
  for (int i = 0; i < points; ++i) {
    from_platform = std::max(from_platform, steps_between(constant[i], platform(x[i])));
    from_kernel = std::max(from_kernel, steps_between(constant[i], kernel[i]));
  }
  BOOST_TEST_MESSAGE(name << ": " << from_platform << " ulp from the platform's, " << from_kernel
                          << " ulp from the kernel's");
  BOOST_TEST(from_platform <= 2, name);
  BOOST_TEST(from_kernel <= 2, name);
}

}  // namespace

#define AS_AT_RUN_TIME(name, function, ...)                                          \
  BOOST_AUTO_TEST_CASE(name) {                                                       \
    static constexpr row x = __VA_ARGS__;                                            \
    static constexpr row constant = function(x);                                     \
    row const kernel = function(x);                                                  \
    compare(#name, x, constant, kernel, [](float at) { return std::function(at); }); \
  }
AS_AT_RUN_TIME(exp_evenly, exp, evenly(-87, 88))
AS_AT_RUN_TIME(exp_near_nothing, exp, evenly(-1, 1))
AS_AT_RUN_TIME(exp_of_every_size, exp, of_every_size(-58))
AS_AT_RUN_TIME(log_evenly, log, evenly(0.5f, 2))
AS_AT_RUN_TIME(log_of_large_numbers, log, of_every_size(0))
AS_AT_RUN_TIME(log_of_small_numbers, log, of_every_size(-64))
AS_AT_RUN_TIME(sqrt_evenly, sqrt, evenly(0, 100))
AS_AT_RUN_TIME(sqrt_of_large_numbers, sqrt, of_every_size(0))
AS_AT_RUN_TIME(sqrt_of_small_numbers, sqrt, of_every_size(-64))
AS_AT_RUN_TIME(tanh_evenly, tanh, evenly(-10, 10))
AS_AT_RUN_TIME(tanh_near_nothing, tanh, evenly(-0.75f, 0.75f))
AS_AT_RUN_TIME(tanh_of_every_size, tanh, of_every_size(-60))

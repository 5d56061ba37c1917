// SPDX-License-Identifier: BSL-1.0
// Also compiled for processors with fused instructions (separate_rounding_fused and separate_rounding_apart in
// test/meson.build).
#define ESPALIER_SEPARATE_ROUNDING
#define BOOST_TEST_MODULE base_separate_rounding
#include <boost/test/unit_test.hpp>

#include <espalier/base/separate_rounding.hpp>
#include <espalier/device/cpu/thread/float_control.hpp>
#include <espalier/device/cpu/vector/simd.hpp>

#include <cmath>
#include <string>

namespace esp = espalier;
namespace on_cpu = espalier::on_cpu;
namespace math = espalier::math;

namespace {

/// What the compiler cannot know.
template <class T>
T hidden(T x) {
  T volatile y = x;
  return y;
}

}  // namespace

// Packs of 16 bytes fix the order of sums. The setting is part of a kernel's type: other translation units of the
// program have kernels of their own.
BOOST_AUTO_TEST_CASE(packs_are_narrow_and_have_a_type_of_their_own) {
  static_assert(on_cpu::default_arch::bytes == 16);
  static_assert(std::is_same_v<on_cpu::default_arch::architecture, on_cpu::compiler_vectors>);
  static_assert((on_cpu::detail::extensions & 8192u) != 0);
  static_assert(
      !std::is_same_v<on_cpu::default_arch,
                      on_cpu::instruction_set<on_cpu::compiler_vectors, 16, on_cpu::detail::extensions & ~8192u>>);
}

// (1 + e)(1 - e) is 1 after rounding, so nothing is left. A fused instruction leaves -e^2.
#if !defined(COMPILER_FUSES)
BOOST_AUTO_TEST_CASE(products_are_rounded) {
  using P = on_cpu::pack<float>;
  P const above(hidden(1 + 0x1p-13f)), below(hidden(1 - 0x1p-13f));
  BOOST_TEST(fma(above, below, P(-1.0f))[0] == 0);
  BOOST_TEST((above * below - P(1.0f))[0] == 0);
  using Q = on_cpu::pack<double>;
  Q const more(hidden(1 + 0x1p-30)), less(hidden(1 - 0x1p-30));
  BOOST_TEST(fma(more, less, Q(-1.0))[1] == 0);
  esp::detail::check_separate_rounding();
}
#elif ESPALIER_MAY_FUSE
BOOST_AUTO_TEST_CASE(a_compiler_that_fuses_is_found) {
  BOOST_CHECK_EXCEPTION(esp::detail::check_separate_rounding(), esp::rounding_error,
                        [](esp::rounding_error const& error) {
                          return std::string{error.what()}.find("compile with -ffp-contract=off") != std::string::npos;
                        });
}
#endif

// The functions of constant expressions, at run time.
BOOST_AUTO_TEST_CASE(functions_are_those_of_the_library) {
  for (double const x : {-2.5, -0.3, 0.7, 3.0, 900000.0}) {
    BOOST_TEST(math::sin(hidden(x)) == math::constant::sin(x));
    BOOST_TEST(math::cos(hidden(x)) == math::constant::cos(x));
    BOOST_TEST(math::erf(hidden(x)) == math::constant::erf(x));
    BOOST_TEST(math::pow(hidden(2.0), hidden(x / 1000)) == math::constant::pow(2.0, x / 1000));
    BOOST_TEST(on_cpu::sin(on_cpu::pack<double>(hidden(x)))[1] == math::constant::sin(x));
    auto const narrow = static_cast<float>(x);
    BOOST_TEST(on_cpu::cos(on_cpu::pack<float>(hidden(narrow)))[3] ==
               math::constant::to_float(math::constant::cos(static_cast<double>(narrow))));
  }
  // Beyond their range, those of the C library.
  BOOST_TEST(math::sin(hidden(1e22)) == std::sin(1e22));
  BOOST_TEST(math::sqrt(hidden(2.0)) == std::sqrt(2.0));
}

// Not every processor can treat them as 0.
BOOST_AUTO_TEST_CASE(subnormal_numbers_are_kept) {
  static_assert(!esp::flush_subnormals::flushes);
  esp::flush_subnormals const flushing;
  BOOST_TEST(hidden(0x1p-126f) * 0.5f > 0);
}

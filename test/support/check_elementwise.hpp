// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "check_pullback.hpp"

/// What every elementwise op owes: its values, the same from kernels of any length, and its gradients.
namespace test {

/// Values of a function of one tensor against one number at a time.
template <class F, class Reference, class X>
void check_values(char const* name, F f, Reference reference, X const& x,
                  double allowed = tolerance<typename X::value_type>) {
  using T = typename X::value_type;
  X expected;
  for (std::int64_t i = 0; i < x.size(); ++i) expected[i] = static_cast<T>(reference(static_cast<double>(x[i])));
  check_close(name, fused(f, x, x).value, expected, allowed);
}

/// Values and gradients of a function of one tensor at some points.
template <class F, class X>
void check_at(char const* name, F f, X const& x, X const& values, X const& gradients,
              double allowed = tolerance<typename X::value_type>) {
  X one;
  for (std::int64_t i = 0; i < x.size(); ++i) one[i] = 1;
  auto const r = fused(f, one, x);
  check_close(name, r.value, values, allowed);
  check_close(name, std::get<0>(r.gradients), gradients, allowed);
}

template <class F, class Reference>
void check_unary(char const* name, F f, Reference reference, double low, double high) {
  check_values(name, f, reference, floats<1>(1, low, high));
  check_values(name, f, reference, floats<3>(2, low, high));
  check_values(name, f, reference, doubles<17>(3, low, high));
  check_values(name, f, reference, floats<3, 11>(4, low, high));
  check_values(name, f, reference, floats<100>(5, low, high));
  check_kernels(name, f, floats<5, 1, 7>(6, low, high));
  check_kernels(name, f, doubles<2, 1, 3, 1, 2, 3>(7, low, high));
  check_pullback(name, f, doubles<3, 5>(8, low, high));
}

/// Equal shapes, a broadcast of either operand, numbers on either side.
template <class F, class Reference>
void check_binary(char const* name, F f, Reference reference, double low, double high) {
  auto const a = floats<33>(1, low, high), b = floats<33>(2, low, high);
  esp::tensor<float, esp::shape<33>> expected;
  for (int i = 0; i < 33; ++i)
    expected[i] = static_cast<float>(reference(static_cast<double>(a[i]), static_cast<double>(b[i])));
  check_close(name, fused(f, a, a, b).value, expected);
  check_kernels(name, f, floats<1>(1, low, high), floats<1>(2, low, high));
  check_kernels(name, f, doubles<7, 17>(3, low, high), doubles<17>(4, low, high));
  check_kernels(name, f, floats<7, 1>(5, low, high), floats<7, 17>(6, low, high));
  check_kernels(name, f, doubles<2, 3, 1, 5>(7, low, high), doubles<3, 1, 1>(8, low, high));
  check_pullback(name, f, doubles<3, 5>(9, low, high), doubles<3, 5>(10, low, high));
  check_pullback(name, f, doubles<5>(11, low, high), doubles<3, 5>(12, low, high));
  check_pullback(name, f, doubles<2, 3, 4>(13, low, high), doubles<3, 1>(14, low, high));
}

}  // namespace test

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

/// Operands of rank 1 are a row on the left and a column on the right, and lose that axis in the result.
struct matmul_function {
  constexpr auto operator()(auto const& a, auto const& b) const {
    using A = esp::shape_of<decltype(a)>;
    using B = esp::shape_of<decltype(b)>;
    if constexpr (A::rank == 1 && B::rank == 1) {
      return sum(a * b);
    } else if constexpr (A::rank == 1) {
      return without_axis<-2>(matmul(esp::reshape<1, -1>(a), b));
    } else if constexpr (B::rank == 1) {
      return without_axis<-1>(matmul(a, esp::reshape<-1, 1>(b)));
    } else {
      return matmul(a, b);
    }
  }

 private:
  /// The sum over an axis of extent 1.
  template <int Axis>
  static constexpr auto without_axis(auto const& x) {
    return esp::sum<Axis>(x);
  }
};

template <class Case, class T>
void check_matmul(case_run& run) {
  run_function<Case, T, matmul_function>(run);
}

}  // namespace conformance

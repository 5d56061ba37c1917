// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

template <double Alpha, double Beta, bool TransposeA, bool TransposeB>
struct gemm_function {
  constexpr auto operator()(auto const& a, auto const& b) const { return product(a, b); }
  constexpr auto operator()(auto const& a, auto const& b, auto const& c) const { return product(a, b) + Beta * c; }

 private:
  static constexpr auto product(auto const& a, auto const& b) {
    if constexpr (TransposeA && TransposeB) return Alpha * matmul(transpose(a), transpose(b));
    else if constexpr (TransposeA) return Alpha * matmul(transpose(a), b);
    else if constexpr (TransposeB) return Alpha * matmul(a, transpose(b));
    else return Alpha * matmul(a, b);
  }
};

template <class Case, class T>
void check_gemm(case_run& run) {
  run_function<Case, T,
               gemm_function<attribute_or<Case, "alpha", double>(1), attribute_or<Case, "beta", double>(1),
                             attribute_or<Case, "transA", bool>(false), attribute_or<Case, "transB", bool>(false)>>(
      run);
}

}  // namespace conformance

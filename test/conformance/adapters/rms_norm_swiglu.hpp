// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/torch_module.hpp"

namespace conformance {

/// y = x + ffn(norm(x)), or without the sum.
template <int Features, int Hidden, bool Residual, nn::norm Options>
struct normed_swiglu {
  nn::RMSNorm<esp::shape<Features>, Options> norm{};
  nn::SwiGLU<Features, Hidden> ffn{};
  ESPALIER_MODULE(normed_swiglu, norm, ffn)
  constexpr auto forward(auto x) const {
    if constexpr (Residual) return x + ffn(norm(x));
    else return ffn(norm(x));
  }
};

template <class Case, class T>
void check_rms_norm_swiglu(case_run& run) {
  using In = input_shape<Case>;
  using w1 = shape_of<typename Case::parameters, "w1">;
  using Net =
      normed_swiglu<w1::template extent<1>(), w1::template extent<0>(), attribute_or<Case, "residual", bool>(false),
                    nn::norm{.eps = attribute_or<Case, "eps", double>(1e-5)}>;
  run_torch_module<Case, T, watched<Net, In>, In>(
      run, [](std::string_view path) { return joined{}.add(path.substr(0, 3) == "ffn" ? path.substr(4, 2) : path); });
}

}  // namespace conformance

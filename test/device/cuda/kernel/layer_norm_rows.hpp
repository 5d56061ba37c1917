// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/check_on_cuda.hpp"

/// LayerNorm with gain, bias and ReLU, forward and backward: two sweeps over a row, sums over rows, and every way of
/// reading an operand.
namespace test {

inline constexpr auto layer_norm = [](auto x, auto weight, auto bias) {
  return relu(esp::normalize<-1>(x, 1e-5) * weight + bias);
};

template <class T, int Rows, int Columns>
void check_layer_norm() {
  std::string const name = "layer norm of " + std::to_string(Rows) + "x" + std::to_string(Columns);
  check_on_cuda(name.c_str(), layer_norm, numbers<T, esp::shape<Rows, Columns>>(1, -2, 2),
                numbers<T, esp::shape<Columns>>(2, 0.5, 1.5), numbers<T, esp::shape<Columns>>(3, -1, 1));
}

}  // namespace test

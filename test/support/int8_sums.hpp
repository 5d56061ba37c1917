// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <random>

#include <espalier/device/cpu/product/int8_dot.hpp>

/// For tests of products of integers: random integers, and sums as they are.
namespace test {

/// Numbers from low to high, the same in every run.
class random_integers {
 public:
  explicit random_integers(unsigned seed) : engine_{seed} {}
  int operator()(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<unsigned>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

/// Sums as they are, in place of floats.
struct keep_sums {
  std::int32_t* y;
  std::int64_t stride;
  void operator()(std::int64_t i, std::int64_t j,
                  espalier::on_cpu::detail::int8_types<espalier::on_cpu::default_arch>::sums sum, int count) const {
    for (int k = 0; k < count; ++k) y[i * stride + j + k] = sum[k];
  }
};

}  // namespace test

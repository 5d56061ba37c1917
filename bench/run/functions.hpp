// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness.hpp"
/// Training steps that are functions of models. Operands: data, then every parameter of every model in its order of
/// declaration (weight (in, out), bias) -> the losses of the last step and all parameters after `steps_compared` steps.
namespace bench {

struct function_row {
  std::string name;
  std::vector<input> data;
  std::vector<std::vector<int>> widths;  // of each net
  std::size_t losses;
  int copies = 0;  // of all nets, which follow them slowly
  double tolerance = 1e-3;

  std::vector<input> in() const {
    auto all = data;
    for (auto const& net : widths)
      for (std::size_t i = 1; i < net.size(); ++i) {
        auto const rows = static_cast<std::size_t>(net[i - 1]), columns = static_cast<std::size_t>(net[i]);
        float const range = rows == 1 ? 1.f : rows < 8 ? 0.5f : 0.2f;
        all.push_back({rows * columns, -range, range});
        all.push_back({columns, -0.1f, 0.1f});
      }
    return all;
  }
  std::size_t parameters() const {
    std::size_t sum = 0;
    for (auto const& net : widths)
      for (std::size_t i = 1; i < net.size(); ++i) sum += static_cast<std::size_t>((net[i - 1] + 1) * net[i]);
    return sum;
  }
  std::vector<output> out() const {
    return {{losses, tolerance}, {parameters() * static_cast<std::size_t>(1 + copies), tolerance}};
  }
};

/// The steps after which results are compared.
inline constexpr int steps_compared = 10;

inline std::vector<function_row> const& function_rows() {
  static std::vector<function_row> const rows{
      // Real pictures and noise; generator and discriminator.
      {"function_step/gan", {{64 * 64}, {64 * 64, -1.7f, 1.7f}}, {{64, 128, 64}, {64, 128, 1}}, 2},
      // State, torque, reward, next state; actor and critic.
      {"function_step/actor_critic",
       {{100 * 3}, {100}, {100, -4, 0}, {100 * 3}},
       {{3, 64, 64, 1}, {4, 64, 64, 1}},
       1,
       1},
      // Times.
      {"function_step/pinn", {{256, 0, 3}}, {{1, 32, 32, 32, 1}}, 1},
  };
  return rows;
}
inline function_row const& function_row_of(std::string const& name) {
  for (auto const& r : function_rows())
    if (r.name == name) return r;
  std::abort();
}

}  // namespace bench

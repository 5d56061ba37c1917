// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#if defined(ESPALIER_CHECK_PLANS)
#include "../../plan/check_device_plan.hpp"
#else
#include "../../plan/device_policy.hpp"
#endif

/// A program as a graphics processor runs it: its plan, and what the plan leaves to the device.
namespace espalier::on_cuda::detail {

using plan::operand_kind;

/// Elements of workspace that the steps of a loop may take at once: 256 MiB of floats, unless the backend says another
/// number.
template <class Backend>
inline constexpr std::int64_t most_of_steps = std::int64_t{1} << 26;
template <class Backend>
  requires requires { Backend::most_of_steps; }
inline constexpr std::int64_t most_of_steps<Backend> = Backend::most_of_steps;

/// The device policy of a graphics processor. The backend defines whether products add a bias and apply ReLU.
template <class Backend, class T>
inline constexpr plan::device_policy policy_of{.samples_in_place = true,
                                               .labels_in_place = true,
                                               .reports_loss = true,
                                               .product_adds_bias = false,
                                               .has_wide_numbers = espalier::detail::is_narrow<T>,
                                               .most_of_steps = most_of_steps<Backend>};
template <class Backend, class T>
  requires requires { Backend::template can_bias_relu<T>; }
inline constexpr plan::device_policy policy_of<Backend, T>{.samples_in_place = true,
                                                           .labels_in_place = true,
                                                           .reports_loss = true,
                                                           .product_adds_bias = Backend::template can_bias_relu<T>,
                                                           .has_wide_numbers = espalier::detail::is_narrow<T>,
                                                           .most_of_steps = most_of_steps<Backend>};

/// The device plan of a program; with ESPALIER_CHECK_PLANS, it and the plan are proved.
template <class Program, plan::device_policy Policy>
constexpr auto const& find_device_plan() {
#if defined(ESPALIER_CHECK_PLANS)
  plan::prove_device_plan<Program, Policy>();
#endif
  return plan::device_plan_of<Program, Policy>;
}

/// A program definition with its graph, its plan and its device plan.
template <class Program, plan::device_policy Policy>
struct device_program {
  using definition = Program;
  static constexpr espalier::plan::device_policy policy = Policy;
  static constexpr auto const& program = espalier::plan::graph_of<Program>;
  static constexpr auto const& plan = espalier::plan::plan_of<Program>;
  static constexpr auto const& device_plan = find_device_plan<Program, Policy>();

  static constexpr int operand_index(int x, int k) { return plan.ir.groups[x].first_operand + k; }
  static constexpr espalier::plan::ir_operand const& ir_operand_at(int x, int k) {
    return plan.ir.operands[operand_index(x, k)];
  }
  static constexpr operand_kind kind_of_operand(int x, int k) {
    return device_plan.kind_of_operand[operand_index(x, k)];
  }
};

}  // namespace espalier::on_cuda::detail
#include "../../base/diagnostics_pop.hpp"

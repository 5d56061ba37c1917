// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"
#include "../device/distributed/exchange_times.hpp"
#include "../storage/element.hpp"
#include "../storage/label_error.hpp"
#include "evaluation.hpp"
#include "optimizer_fit.hpp"
#include "zero_costs.hpp"

namespace espalier::detail {

/// In place of an optimizer whose type is not known.
struct unknown_optimizer {
  double learning_rate = 0;
};

/// The members of a trainer, a predictor, a frozen net or an updater that does not compile: they accept every call
/// without a further error, so that one mistake produces one error. T: the model's element type.
/// test/model/invalid_trainer.cpp compares them with those of a trainer.
template <class T = float, class Optimizer = unknown_optimizer>
class accepts_every_call : public zero_costs {
  using number = computed_in<T>;
  using optimizer_type = std::conditional_t<is_optimizer<Optimizer>::agree, Optimizer, unknown_optimizer>;

 public:
  using prediction_shape = invalid<already_reported>;
  template <class>
  using target_of = invalid<already_reported>;
  using target_element = T;
  static constexpr bool has_labels = false;
  static constexpr label_range labels{};

  accepts_every_call(auto&&...) {}
  void operator()(auto&&...) noexcept {}
  number step(auto&&...) { return 0; }
  void update(auto&&...) {}
  evaluation evaluate(auto&&...) { return {}; }
  invalid<already_reported> forward(auto&&...) { return {}; }
  std::int64_t join(auto&&...) { return 0; }
  espalier::exchange_times exchange_times() const { return {}; }
  optimizer_type& optimizer() { return optimizer_; }
  double& learning_rate() { return learning_rate_; }
  number penalty(auto&&...) const { return 0; }
  std::int64_t steps() const { return 0; }
  std::int64_t skipped_updates() const { return 0; }
  espalier::span<number> states() { return {}; }
  void continue_after(std::int64_t) {}
  espalier::span<T const> gradients() const { return {}; }

 private:
  optimizer_type optimizer_{};
  double learning_rate_ = 0;
};

/// The same for a type that a program writes out with a wrong argument. The program may pass memory of the size that
/// the type states; less than enough would be a second error.
struct accepts_every_memory : accepts_every_call<> {
  static constexpr std::size_t bytes = 16 << 20;
  using accepts_every_call<>::accepts_every_call;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

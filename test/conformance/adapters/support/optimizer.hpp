// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "module.hpp"

// Optimisers from a case's attributes: what a case does not set (or sets to 0) is not there, since presence is a type.
namespace conformance {

template <class Case, text Name>
consteval double hyperparameter(double otherwise) {
  return attribute_or<Case, Name, double>(otherwise);
}

/// needle's momentum is damped; PyTorch's is the heavy ball, or Nesterov's.
template <class Case, class T>
auto sgd_of() {
  constexpr double rate = hyperparameter<Case, "lr">(0), decay = hyperparameter<Case, "weight_decay">(0),
                   momentum = hyperparameter<Case, "momentum">(0);
  if constexpr (momentum == 0) return optim::SGD{.learning_rate = rate, .weight_decay = decay};
  else if constexpr (attribute_or<Case, "damped", bool>(true))
    return optim::SGD{.learning_rate = rate, .momentum = optim::damped{momentum}, .weight_decay = decay};
  else if constexpr (attribute_or<Case, "nesterov", bool>(false))
    return optim::SGD{.learning_rate = rate, .momentum = optim::nesterov{momentum}, .weight_decay = decay};
  else
    return optim::SGD{
        .learning_rate = rate,
        .momentum = optim::heavy_ball{.momentum = momentum, .dampening = hyperparameter<Case, "dampening">(0)},
        .weight_decay = decay};
}

namespace detail {
struct betas {
  double first, second;
};
template <class CaseTensor>
consteval betas betas_of(CaseTensor, betas otherwise) {
  return otherwise;
}
template <double First, double Second>
consteval betas betas_of(numbers<First, Second>, betas) {
  return {First, Second};
}
}  // namespace detail

/// beta1 and beta2, or a list `betas`.
template <class Case>
inline constexpr detail::betas betas_of = detail::betas_of(attribute_of<Case, "betas">{},
                                                           {hyperparameter<Case, "beta1">(0.9),
                                                            hyperparameter<Case, "beta2">(0.999)});

/// amsgrad keeps a vector more, so it is a type.
template <class Case>
auto with_amsgrad(auto optimizer) {
  if constexpr (attribute_or<Case, "amsgrad", bool>(false)) return optim::amsgrad{optimizer};
  else return optimizer;
}

template <class Case, class T>
auto adam_of() {
  return with_amsgrad<Case>(optim::Adam{
      .learning_rate = hyperparameter<Case, "lr">(1e-3),
      .beta1 = betas_of<Case>.first,
      .beta2 = betas_of<Case>.second,
      .epsilon = hyperparameter<Case, "eps">(1e-8),
      .weight_decay = hyperparameter<Case, "weight_decay">(0),
  });
}
template <class Case, class T>
auto adamw_of() {
  return with_amsgrad<Case>(optim::AdamW{
      .learning_rate = hyperparameter<Case, "lr">(1e-3),
      .beta1 = betas_of<Case>.first,
      .beta2 = betas_of<Case>.second,
      .epsilon = hyperparameter<Case, "eps">(1e-8),
      .weight_decay = hyperparameter<Case, "weight_decay">(1e-2),
  });
}

template <class Case, class T>
auto rms_prop_of() {
  return optim::RMSProp{.learning_rate = hyperparameter<Case, "lr">(0.01),
                        .smoothing = hyperparameter<Case, "alpha">(0.99),
                        .epsilon = hyperparameter<Case, "eps">(1e-8),
                        .weight_decay = hyperparameter<Case, "weight_decay">(0)};
}

/// The one that the attribute `optimizer` names.
template <class Case, class T>
auto optimizer_of() {
  using name = attribute_of<Case, "optimizer">;
  if constexpr (std::is_same_v<name, word<"sgd">>) return sgd_of<Case, T>();
  else if constexpr (std::is_same_v<name, word<"adamw">>) return adamw_of<Case, T>();
  else if constexpr (std::is_same_v<name, word<"rmsprop">>) return rms_prop_of<Case, T>();
  else return adam_of<Case, T>();
}

/// Two parameters whose gradients are given, in buffers.
template <class A, class B>
struct given_gradients {
  zero_parameter<A> a{};
  zero_parameter<B> b{};
  zero_buffer<A> gradient_a{};
  zero_buffer<B> gradient_b{};
  ESPALIER_MODULE(given_gradients, a, b, gradient_a, gradient_b)

  constexpr auto forward(auto x) const { return x + sum(a * gradient_a) + sum(b * gradient_b); }
};
struct sum_of_prediction {
  ESPALIER_MODULE(sum_of_prediction)
  template <class Prediction>
  struct target {
    using element_type = void;
    using type = Prediction;
  };
  constexpr auto forward(auto prediction, auto) const { return sum(prediction); }
};

/// Steps k = 1, 2, ... with gradients grad_<p>_step<k>; the parameters after each as <p>_after<k>.
template <class Case, class T>
void run_optimizer(case_run& run, auto optimizer) {
  using net = given_gradients<shape_of<typename Case::parameters, "a">, shape_of<typename Case::parameters, "b">>;
  esp::model<net, esp::cpu, T> model{esp::seed{0}};
  for (char const* name : {"a", "b"}) run.read(role::parameter, name, as_span<T>(model.parameter(name).span()));
  esp::trainer trainer{model, sum_of_prediction{}, optimizer, esp::batch<1>{}};
  esp::tensor<T, esp::shape<1>> const unused;
  for (int step = 1; step <= attribute_or<Case, "steps_count", int>(0); ++step) {
    for (std::string_view name : {"a", "b"})
      run.read(role::input, join("grad_", name, "_step", step),
               as_span<T>(model.buffer(join("gradient_", name).c_str()).span()));
    trainer.step(unused, unused);
    model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
      run.result(join(name, "_after", step), as_span<T const>(values), shape);
    });
  }
}

}  // namespace conformance

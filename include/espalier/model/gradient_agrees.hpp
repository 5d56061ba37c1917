// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../eager/gradient_agrees.hpp"
#include "constant_model.hpp"

/// Checks the gradient of a whole net in static_assert, along one random direction through all its trainable
/// parameters.
namespace espalier {

namespace detail {

/// A net in double whose trainable parameters are moved along a direction.
template <class Net, class T>
constexpr constant_model<Net, double> moved_model(constant_model<Net, T> const& model, gradient_check const& options,
                                                  double by) {
  constant_model<Net, double> r{model};
  for (std::int64_t i = 0; i < slots_of<Net>.parameters.trainable_storage; ++i)
    r.parameters.elements()[i] += by * direction_at(options, 0, i);
  return r;
}

template <class Net, class T, class Loss>
struct model_gradient_agrees_function {
  constant_model<Net, T> const& model;
  gradient_check options;

  template <Stored X, Stored Y>
  constexpr gradient_comparison operator()(X const& x, Y const& y) const {
    constant_gradients<Net, T> const result = value_and_grad(model, Loss{})(x, y);
    double derivative = 0, size = 0;
    for (std::int64_t i = 0; i < slots_of<Net>.parameters.trainable_storage; ++i) {
      double const term = static_cast<double>(result.gradients.elements()[i]) * direction_at(options, 0, i);
      derivative += term;
      size += math::constant::abs(term);
    }
    double const ahead = loss_at(options.step, x, y), behind = loss_at(-options.step, x, y);
    double const rounding = 0x1p-50 * (1 + math::constant::abs(ahead)) / options.step;
    return {derivative, (ahead - behind) / (2 * options.step), tolerance_of<T>(options) * size + rounding};
  }

 private:
  template <class X, class Y>
  constexpr double loss_at(double by, X const& x, Y const& y) const {
    return value_and_grad(moved_model(model, options, by), Loss{})(moved_argument(x, options, 0, 0),
                                                                   moved_argument(y, options, 0, 0))
        .loss;
  }
};

}  // namespace detail

/// gradient_agrees(constant_model, loss)(x, y): whether the gradients of all trainable parameters agree with the loss
/// in training mode, along one random direction. The compiler computes both from the program that a trainer runs.
///
///     constexpr esp::constant_model<Net, double> net{esp::seed{1}};
///     static_assert(esp::gradient_agrees(net, nn::SoftmaxLoss{})(images, labels));
///
/// shape      a batch, its targets
/// direction, tolerance, range   as gradient_agrees(f); random numbers (dropout) are the same in all three runs
/// errors     layers and loss that do not fit do not compile; option_error for options outside their range
template <class Net, class T, class Loss>
constexpr auto gradient_agrees(constant_model<Net, T> const& model, Loss loss, gradient_check options = {}) {
  detail::check_loss(loss);
  return detail::model_gradient_agrees_function<Net, T, Loss>{model, detail::checked(options)};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

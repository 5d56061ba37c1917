// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "fit.hpp"
#include "label_error.hpp"
#include "model.hpp"

namespace espalier {

/// Gradients of a model's trainable parameters, named and laid out like the parameters.
template <class Net, class T = float>
class gradients {
  static constexpr std::int64_t size = slots_of<Net>.parameters.trainable_storage;
  static constexpr std::size_t bytes = detail::bytes_for<T>(static_cast<std::size_t>(size));

 public:
  gradients() : memory_{bytes} {}
  gradients(gradients const& other) : memory_{bytes} { *this = other; }
  gradients& operator=(gradients const& other) {
    if (this != &other) __builtin_memcpy(span().data(), other.span().data(), bytes);
    return *this;
  }

  espalier::span<T> span() { return {memory_.template at<T>(0), size}; }
  espalier::span<T const> span() const { return {memory_.template at<T>(0), size}; }

  /// The gradient of the parameter of that path; a name that the model does not have, or that is frozen, converts to false.
  named_tensor<T> parameter(char const* wanted) const {
    return detail::find_tensor<Net, true>(wanted, memory_.template at<T>(0), true);
  }
  /// f(name, extents, span) for each, in the order of declaration.
  template <class F>
  void for_each_parameter(F&& f) const {
    detail::for_each_tensor<Net, true>(memory_.template at<T>(0), true, f);
  }

 private:
  detail::block memory_;
};

/// A loss and the gradients that belong to it.
template <class T, class Gradients>
struct loss_and_gradients {
  T loss;
  Gradients slopes;
};

namespace detail {

template <class Model, class Loss>
struct model_gradient_function {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  template <class X>
  using fault_of = typename training_fit<Net, Loss, shape_of<X>>::fault;
  template <class X, class Y>
  using targets_fit = decltype(targets_fault<Net, Loss, T, shape_of<X>, Y, fault_of<X>::agree>());

  Model const& model;

  /// errors  layers and loss that do not fit, and targets that the loss does not ask for, do not compile
  template <Stored X, Stored Y, class Fault = fault_of<X>, class Targets = targets_fit<X, Y>>
  auto operator()(X const& x, Y const& y) const {
    using Fit = training_fit<Net, Loss, shape_of<X>>;
    static_assert(Fit::loss_kind::agree, "value_and_grad(model, loss): the loss is none");
    static_assert(Fit::layers::agree, ESPALIER_LAYERS_FIT);
    static_assert(Fit::loss::agree, ESPALIER_LOSS_FITS);
    static_assert(Fit::statistics::agree, ESPALIER_STATISTICS_FIT);
    static_assert(holds<shape_is, Targets>, "value_and_grad(model, loss)(x, y): targets must have the shape that the loss asks for");
    static_assert(holds<element_is, Targets>, "value_and_grad(model, loss)(x, y): targets have another element type than the loss asks for");
    static_assert(element_is<element_of<X>, T>::agree, "value_and_grad(model, loss)(x, y): x has another element type than the model");
    loss_and_gradients<T, gradients<Net, T>> result{};
    if constexpr (Fault::agree && Targets::agree && element_is<element_of<X>, T>::agree) run<training_source<Net, Loss, shape_of<X>>>(x, y, result);
    return result;
  }

 private:
  template <class Source, class X, class Y, class Result>
  void run(X const& x, Y const& y, Result& result) const {
    if constexpr (std::is_integral_v<typename Source::element>)
      check_labels(y.data(), Source::target::size, label_range_of<Loss, typename Source::prediction>());
    block const workspace{bytes_for<T>(workspace_elements<Source>)};
    on_cpu::random_state random{model.initial_seed().value, model.next_draw()};
    program_bases b = model.bases();
    b.at[plan::base::workspace] = workspace.at<T>(0);
    b.at[plan::base::gradients] = result.slopes.span().data();
    b.at[plan::base::key] = &random;
    b.at[plan::base::arguments] = const_cast<T*>(x.data());
    b.at[plan::base::arguments + 1] = const_cast<element_of<Y>*>(y.data());
    b.at[plan::base::results] = &result.loss;
    on_cpu::run<Source, T>(b.at, model.team());
  }
};

}  // namespace detail

/// value_and_grad(model, loss)(x, y): the loss in training mode and the gradients of all trainable parameters; running statistics are updated and
/// dropout draws, as in a step of training. A trainer does the same without allocating.
/// shape   a batch, its targets -> {loss, slopes}
/// errors  layers and loss that do not fit do not compile; a label outside the classes throws label_error and changes nothing
template <class Net, class Device, class T, class Loss>
auto value_and_grad(model<Net, Device, T> const& model, Loss) {
  return detail::model_gradient_function<espalier::model<Net, Device, T>, Loss>{model};
}

/// grad(model, loss)(x, y): the slopes of value_and_grad alone.
template <class Net, class Device, class T, class Loss>
auto grad(model<Net, Device, T> const& model, Loss loss) {
  return [of = value_and_grad(model, loss)](auto const& x, auto const& y) { return of(x, y).slopes; };
}

}  // namespace espalier

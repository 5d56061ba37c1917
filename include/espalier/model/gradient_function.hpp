// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "training_fit.hpp"
#include "misuse.hpp"
#include "model_fit.hpp"
#include "range_arguments.hpp"
#include "step_fit.hpp"

namespace espalier::detail {

/// The fault of targets for a batch that fits net and loss, or `agreed`.
template <class Net, class Loss, class T, class Batch, class Y, bool Fits>
constexpr auto targets_fault() {
  if constexpr (!Fits) {
    return agreed{};
  } else {
    using Program = training_program<Net, Loss, Batch>;
    using Shape = shape_is<shape_of<Y>, typename Program::target>;
    using Element =
        element_is<element_of<Y>,
                   std::conditional_t<std::is_void_v<typename Program::element>, T, typename Program::element>>;
    if constexpr (!Shape::agree) return invalid<Shape>{};
    else if constexpr (!Element::agree) return invalid<Element>{};
    else return agreed{};
  }
}

/// The element type and shape that the targets of a batch must have.
template <class Element, class S>
struct expected_targets {
  using element_type = Element;
  using shape_type = S;
};

/// Runs a training step without its update: gradients.hpp, constant_model.hpp.
template <class Model>
class gradient_run;

/// The function of a batch and its targets that value_and_grad(model, loss) returns, for every kind of model.
template <class Model, class Loss>
struct model_gradient_function {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Run = gradient_run<Model>;
  template <TensorOrView X>
  using fault_of = typename training_fit<Net, Loss, shape_of<X>>::fault;
  template <TensorOrView X, TensorOrView Y>
  using targets_fit = decltype(targets_fault<Net, Loss, T, shape_of<X>, Y, fault_of<X>::agree>());

  Run run;

  /// errors  layers and loss that do not fit, and targets that do not fit the loss, do not compile
  template <TensorOrView X, TensorOrView Y, class Fault = fault_of<X>, class Targets = targets_fit<X, Y>>
  constexpr auto operator()(X const& x, Y const& y) const {
    using Fit = training_fit<Net, Loss, shape_of<X>>;
    static_assert(is_loss<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_IS_LOSS, is_loss<Loss>));
    static_assert(loss_has_target<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_HAS_TARGET, loss_has_target<Loss>));
    static_assert(loss_without_parameters<Loss>::agree || !loss_has_target<Loss>::agree,
                  ESPALIER_SENTENCE(ESPALIER_LOSS_WITHOUT_PARAMETERS, loss_without_parameters<Loss>));
    using Layers = root_message_fault<typename Fit::layers, Net, root_at<model_gradient_function, X>>;
    static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(own_message_fault<typename Fit::layers, Net>::report()) != 0);
    using LossMisfit =
        root_message_fault<typename Fit::loss, faults_of<Net, Loss>, root_at<model_gradient_function, X>>;
    static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
    static_assert(sizeof(own_message_fault<typename Fit::loss, faults_of<Net, Loss>>::report()) != 0);
    static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));
    static_assert(holds<shape_is, Targets>,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): " ESPALIER_TARGETS_SHAPE, Targets));
    static_assert(holds<element_is, Targets>,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): " ESPALIER_TARGETS_ELEMENT, Targets));
    static_assert(element_is<element_of<X>, stored_input<Net, T>>::agree,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): " ESPALIER_INPUT_ELEMENT,
                                    element_is<element_of<X>, stored_input<Net, T>>));
    using Reached = reaches<typename Run::device, X, Y>;
    static_assert(Reached::agree, ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): " ESPALIER_REACHABLE, Reached));
    auto result = run.empty();
    if constexpr (Fault::agree && Targets::agree && element_is<element_of<X>, stored_input<Net, T>>::agree &&
                  Reached::agree)
      run.template run<training_program<Net, Loss, shape_of<X>>, Loss>(x, y, result);
    return result;
  }
  /// The same with targets in a range (std::vector, ...) of as many numbers as the loss requires. The inputs determine
  /// the shape of the batch, so they must be a tensor or a view.
  /// errors  range_error for another number of elements, before anything is computed
  template <class X, class Y>
    requires(!TensorOrView<X> || !TensorOrView<Y>)
  constexpr auto operator()(X const& x, Y const& y) const {
    using Shape = is_tensor_or_view<X>;
    static_assert(
        Shape::agree,
        ESPALIER_SENTENCE(
            "value_and_grad(model, loss)(x, y): x: expected a tensor or a view, because a range has no shape; write view<T const, shape<N, ...>>(x)",
            Shape));
    if constexpr (Shape::agree) {
      using Targets = decltype(expected_targets_of<X>());
      using Fit = argument_fit<Y const, typename Targets::element_type const, typename Targets::shape_type>;
      static_assert(Fit::agree,
                    ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): y: " ESPALIER_EXPECTED_TARGETS, Fit));
      if constexpr (Fit::agree)
        return (*this)(x, as_tensor_or_view<typename Targets::element_type const, typename Targets::shape_type>(
                              "value_and_grad(model, loss)(x, y): y", y));
      else return run.empty();
    } else {
      return run.empty();
    }
  }

 private:
  /// If net and loss do not fit, any type will do: the call that follows reports the error.
  template <class X>
  static constexpr auto expected_targets_of() {
    if constexpr (fault_of<X>::agree) {
      using Program = training_program<Net, Loss, shape_of<X>>;
      return expected_targets<
          std::conditional_t<std::is_void_v<typename Program::element>, T, typename Program::element>,
          typename Program::target>{};
    } else {
      return expected_targets<T, espalier::shape<>>{};
    }
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

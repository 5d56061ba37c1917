// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "fit.hpp"
#include "range_arguments.hpp"
#include "label_error.hpp"
#include "loss_error.hpp"
#include "model.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Gradients of a model's trainable parameters, with the names and the layout of the parameters, in the memory of the
/// model's device.
template <class Net, class T = float, class Device = cpu>
class gradients {
  using Engine = typename detail::engine_of<Device>::type;
  static constexpr std::int64_t size = slots_of<Net>.parameters.trainable_storage;
  static constexpr std::size_t bytes = detail::bytes_for<T>(static_cast<std::size_t>(size));

 public:
  gradients() : gradients{Engine{}} {}
  explicit gradients(Engine const& engine) : engine_{engine}, memory_(engine_.allocate(bytes)) {}
  gradients(gradients const& other) : gradients{other.engine_} { *this = other; }
  gradients& operator=(gradients const& other) {
    if (this != &other) engine_.copy(span().data(), other.span().data(), bytes);
    return *this;
  }

  /// All elements, contiguous. On a device with its own memory: a device_span.
  auto span() { return engine_.span_of(memory_.template at<T>(0), size); }
  auto span() const { return engine_.span_of(static_cast<T const*>(memory_.template at<T>(0)), size); }

  /// The gradient of the parameter with that path.
  /// errors  an unknown name and the name of a frozen parameter throw name_error
  auto parameter(detail::name_argument name) const {
    return detail::get_tensor<Net, true>(engine_, name.of, memory_.template at<T>(0), true);
  }
  /// The same, but an unknown or frozen name is no error: the result converts to false and has no elements.
  auto find_parameter(detail::name_argument name) const {
    return detail::find_tensor<Net, true>(engine_, name.of, memory_.template at<T>(0), true);
  }
  /// Calls f(name, extents, span) for each parameter, in the order of declaration. On a device with its own memory, the
  /// spans refer to a copy on the host.
  template <class F>
  void for_each_parameter(F&& f) const {
    using Accepts = detail::accepts_tensors<F, T>;
    static_assert(Accepts::agree,
                  ESPALIER_SENTENCE("gradients.for_each_parameter(f): " ESPALIER_ACCEPTS_TENSORS, Accepts));
    detail::on_host(engine_, memory_.template at<void>(0), static_cast<std::size_t>(size) * sizeof(T), false,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, true>(reinterpret_cast<T*>(at), true, f); });
  }

 private:
  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
};

/// A loss and its gradients. For a model of 16 bits the loss is a float, and the gradients are stored in 16 bits.
template <class T, class Gradients>
struct loss_and_gradients {
  T loss;
  Gradients gradients;
};

namespace detail {

/// The element type and shape that the targets of a batch must have.
template <class Element, class S>
struct expected_targets {
  using element_type = Element;
  using shape_type = S;
};

template <class Model, class Loss>
struct model_gradient_function {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  using Device = typename Engine::memory_device;
  template <TensorOrView X>
  using fault_of = typename training_fit<Net, Loss, shape_of<X>>::fault;
  template <TensorOrView X, TensorOrView Y>
  using targets_fit = decltype(targets_fault<Net, Loss, T, shape_of<X>, Y, fault_of<X>::agree>());

  reference<Model> model;

  /// errors  layers and loss that do not fit, and targets that do not fit the loss, do not compile
  template <TensorOrView X, TensorOrView Y, class Fault = fault_of<X>, class Targets = targets_fit<X, Y>>
  auto operator()(X const& x, Y const& y) const {
    using Fit = training_fit<Net, Loss, shape_of<X>>;
    static_assert(is_loss<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_IS_LOSS, is_loss<Loss>));
    static_assert(loss_has_target<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_HAS_TARGET, loss_has_target<Loss>));
    static_assert(loss_without_parameters<Loss>::agree || !loss_has_target<Loss>::agree,
                  ESPALIER_SENTENCE(ESPALIER_LOSS_WITHOUT_PARAMETERS, loss_without_parameters<Loss>));
    using Layers = root_message_fault<typename Fit::layers, root_at<model_gradient_function, X>>;
    static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(report_own_message(own_message_fault<typename Fit::layers>{})) != 0);
    using LossMisfit = root_message_fault<typename Fit::loss, root_at<model_gradient_function, X>>;
    static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
    static_assert(sizeof(report_own_message(own_message_fault<typename Fit::loss>{})) != 0);
    static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));
    static_assert(
        holds<shape_is, Targets>,
        ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): targets must have the shape that the loss requires",
                          Targets));
    static_assert(
        holds<element_is, Targets>,
        ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): targets have another element type than the loss requires",
                          Targets));
    static_assert(element_is<element_of<X>, T>::agree,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): x has another element type than the model",
                                    element_is<element_of<X>, T>));
    using Reached = reaches<Device, X, Y>;
    static_assert(Reached::agree, ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): " ESPALIER_REACHABLE, Reached));
    using number = computed_in<T>;
    loss_and_gradients<number, gradients<Net, T, Device>> result{
        number(0), gradients<Net, T, Device>{model->engine().without_threads()}};
    if constexpr (Fault::agree && Targets::agree && element_is<element_of<X>, T>::agree && Reached::agree)
      run<training_program<Net, Loss, shape_of<X>>>(elements_of<T const>(x), elements_of<element_of<Y> const>(y),
                                                    result);
    return result;
  }
  /// The same with targets in a range (std::vector, ...) of as many numbers as the loss requires. The inputs determine
  /// the shape of the batch, so they must be a tensor or a view.
  /// errors  range_error for another number of elements, before anything is computed
  template <class X, class Y>
    requires(!TensorOrView<X> || !TensorOrView<Y>)
  auto operator()(X const& x, Y const& y) const {
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
      else return loss_and_gradients<computed_in<T>, gradients<Net, T, Device>>{};
    } else {
      return loss_and_gradients<computed_in<T>, gradients<Net, T, Device>>{};
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
  template <class Program, class X, class Y, class Result>
  void run(X x, Y y, Result& result) const {
    constexpr std::size_t targets_at = tensor_alignment + bytes_for<T>(static_cast<std::size_t>(Program::batch::size));
    constexpr std::size_t loss_at = targets_at + bytes_for<T>(static_cast<std::size_t>(Program::target::size)),
                          end = loss_at + tensor_alignment;
    Engine const& engine = model->engine();
    auto exchange = engine.make_exchange(end, end);
    if constexpr (std::is_integral_v<typename Program::element>)
      check_labels(exchange.view_on_host(y, targets_at), Program::target::size,
                   label_range_of<Loss, typename Program::prediction>());
    auto const workspace = engine.allocate(Engine::template workspace_bytes<Program, T>);
    on_cpu::random_state random{model->initial_seed().value, next_random_step()};
    program_bases b = model->bases();
    b.at[plan::base::workspace] = workspace.template at<T>(0);
    b.at[plan::base::gradients] = result.gradients.span().data();
    b.at[plan::base::key] = exchange.stage_in(one_element(random), 0);
    b.at[plan::base::arguments] = exchange.stage_in(x, tensor_alignment);
    b.at[plan::base::arguments + 1] = exchange.stage_in(y, targets_at);
    typename Engine::template result<Program, T> loss{0};
    b.at[plan::base::results] = exchange.stage_out(one_element(loss), loss_at);
    exchange.upload();
    engine.template run<Program, T>(b.at);
    exchange.download(loss_at, tensor_alignment);
    exchange.copy_out(one_element(loss), loss_at);
    result.loss = static_cast<decltype(result.loss)>(loss);
  }
  /// A const model has no random streams, so its count of training runs stays.
  std::uint64_t next_random_step() const {
    if constexpr (std::is_const_v<Model>) return model->random_steps();
    else return model->next_random_step();
  }
};

template <class X>
inline constexpr bool is_model = false;
template <class Net, class Device, class T>
inline constexpr bool is_model<model<Net, Device, T>> = true;
/// A model, as an lvalue or rvalue, const or not.
template <class X>
concept AnyModel = is_model<std::remove_cvref_t<X>>;

/// A constraint that errors name: a training run may change the model. The model is not const, or its net has neither
/// buffers nor random numbers.
template <class Model>
struct stays_as_it_is {
  static constexpr bool agree = !std::is_const_v<Model> || (slots_of<typename Model::net_type>.buffers.count == 0 &&
                                                            slots_of<typename Model::net_type>.streams == 0);
};

template <class Model>
using lives_behind = std::conditional_t<std::is_lvalue_reference_v<Model>, agreed, lives_on<Model>>;
template <class Model>
using stays_behind =
    std::conditional_t<std::is_lvalue_reference_v<Model>, stays_as_it_is<std::remove_reference_t<Model>>, agreed>;
template <class Loss, class Model>
auto gradient_function_of(Model& model) {
  return model_gradient_function<Model, Loss>{reference<Model>{model}};
}

/// A constraint that errors name: the batch and its targets are passed to the function that value_and_grad(model, loss)
/// or grad(model, loss) returns.
template <class... Passed>
struct passed_to_result {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = sizeof...(Passed) == 0;
};

}  // namespace detail

/// value_and_grad(model, loss)(x, y): the loss in training mode and the gradients of all trainable parameters. As in a
/// training step, running statistics are updated and dropout uses new random numbers. A trainer does the same without
/// allocating.
/// shape   a batch, its targets -> {loss, gradients}
/// errors  layers and loss that do not fit do not compile. Neither do a temporary model, and a const model whose net
///         has buffers or random numbers. A label outside the classes throws label_error and changes nothing
template <detail::AnyModel Model, class Loss>
auto value_and_grad(Model&& model, Loss loss) {
  using Lives = detail::lives_behind<Model>;
  using Stays = detail::stays_behind<Model>;
  static_assert(Lives::agree, ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_MODEL_IS_TEMPORARY, Lives));
  static_assert(Stays::agree, ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_MODEL_IS_CONST, Stays));
  detail::check_loss(loss);
  return detail::gradient_function_of<Loss>(model);
}

/// Does not compile: the batch is passed next to the model.
template <detail::AnyModel Model, class Loss, class X, class... More>
auto value_and_grad(Model&&, Loss, X const&, More const&...) {
  using Passed = detail::passed_to_result<X, More...>;
  static_assert(
      Passed::agree,
      ESPALIER_SENTENCE(
          "value_and_grad(model, loss) returns a function of (x, y); write value_and_grad(model, loss)(x, y)", Passed));
  using Found = std::remove_cvref_t<Model>;
  return loss_and_gradients<detail::computed_in<typename Found::value_type>, invalid<Passed>>{};
}

/// grad(model, loss)(x, y): only the gradients of value_and_grad.
/// shape   a batch, its targets -> gradients, named and laid out like the parameters
/// errors  as of value_and_grad
template <detail::AnyModel Model, class Loss>
auto grad(Model&& model, Loss loss) {
  using Lives = detail::lives_behind<Model>;
  using Stays = detail::stays_behind<Model>;
  static_assert(Lives::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_MODEL_IS_TEMPORARY, Lives));
  static_assert(Stays::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_MODEL_IS_CONST, Stays));
  detail::check_loss(loss);
  return [of = detail::gradient_function_of<Loss>(model)](auto const& x, auto const& y) { return of(x, y).gradients; };
}
/// Does not compile: the batch is passed next to the model.
template <detail::AnyModel Model, class Loss, class X, class... More>
auto grad(Model&&, Loss, X const&, More const&...) {
  using Passed = detail::passed_to_result<X, More...>;
  static_assert(
      Passed::agree,
      ESPALIER_SENTENCE("grad(model, loss) returns a function of (x, y); write grad(model, loss)(x, y)", Passed));
  return invalid<Passed>{};
}

}  // namespace espalier
#pragma GCC diagnostic pop

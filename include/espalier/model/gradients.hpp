// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/check_indices.hpp"
#include "gradient_argument.hpp"
#include "gradient_function.hpp"
#include "label_range.hpp"
#include "loss_error.hpp"
#include "model.hpp"
#include "parameter_gradients.hpp"

namespace espalier {

/// A loss and its gradients. For a model of 16 bits the loss is a float, and the gradients are stored in 16 bits.
template <class T, class Gradients>
struct loss_and_gradients {
  T loss;
  Gradients gradients;
};

namespace detail {

/// Runs a training step without its update, for value_and_grad(model, loss). A constant_model has its own
/// specialization.
template <class Model>
class gradient_run {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;

 public:
  using device = typename Engine::memory_device;
  using result = loss_and_gradients<computed_in<T>, gradients<Net, T, device>>;

  explicit gradient_run(Model& model) : model_{model} {}

  result empty() const { return {computed_in<T>(0), gradients<Net, T, device>{model_->engine().without_threads()}}; }

  template <class Program, class Loss, class X, class Y>
  void run(X const& images, Y const& targets, result& to) const {
    using Input = stored_input<Net, T>;
    auto const x = elements_of<Input const>(images);
    auto const y = elements_of<element_of<Y> const>(targets);
    constexpr std::size_t targets_at =
        tensor_alignment + bytes_for<Input>(static_cast<std::size_t>(Program::batch::size));
    constexpr std::size_t loss_at = targets_at + bytes_for<T>(static_cast<std::size_t>(Program::target::size)),
                          end = loss_at + tensor_alignment;
    Engine const& engine = model_->engine();
    auto exchange = engine.make_exchange(end, end);
    if constexpr (std::is_integral_v<typename Program::element>)
      check_labels(exchange.view_on_host(y, targets_at), Program::target::size,
                   label_range_of<Loss, typename Program::prediction>());
    check_model_indices<Program>([&] { return exchange.view_on_host(x, tensor_alignment); },
                                 [&] { return exchange.view_on_host(y, targets_at); });
    auto const workspace = engine.allocate(Engine::template run_bytes<Program, T>);
    on_cpu::random_state random{model_->initial_seed().value, next_random_step()};
    program_bases b = model_->bases();
    b.at[plan::base::workspace] = workspace.template at<T>(0);
    b.at[plan::base::gradients] = to.gradients.span().data();
    b.at[plan::base::random] = exchange.stage_in(one_element(random), 0);
    b.at[plan::base::arguments] = exchange.stage_in(x, tensor_alignment);
    b.at[plan::base::arguments + 1] = exchange.stage_in(y, targets_at);
    typename Engine::template result<Program, T> loss{0};
    b.at[plan::base::results] = exchange.stage_out(one_element(loss), loss_at);
    exchange.upload();
    engine.template run<Program, T>(b.at);
    exchange.download(loss_at, tensor_alignment);
    exchange.copy_out(one_element(loss), loss_at);
    to.loss = static_cast<computed_in<T>>(loss);
  }

 private:
  /// A const model has no random streams, so its count of training runs stays.
  std::uint64_t next_random_step() const {
    if constexpr (std::is_const_v<Model>) return model_->random_steps();
    else return model_->next_random_step();
  }
  reference<Model> model_;
};

template <class X>
inline constexpr bool is_any_model = false;
template <class Net, class Device, class T>
inline constexpr bool is_any_model<model<Net, Device, T>> = true;
/// A model, as an lvalue or rvalue, const or not.
template <class X>
concept AnyModel = is_any_model<std::remove_cvref_t<X>>;

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
  return model_gradient_function<Model, Loss>{gradient_run<Model>{model}};
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
  using Trained = detail::can_be_trained<std::remove_cvref_t<Model>>;
  static_assert(Stays::agree, ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_MODEL_IS_CONST, Stays));
  static_assert(Trained::agree,
                ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_MODEL_IS_EVALUATED, Trained));
  using OneDevice = detail::model_on_one_device<std::remove_cvref_t<Model>>;
  static_assert(OneDevice::agree, ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_ON_ONE_DEVICE, OneDevice));
  detail::check_loss(loss);
  if constexpr (Trained::agree && OneDevice::agree) return detail::gradient_function_of<Loss>(model);
  else return [](auto const&...) { return loss_and_gradients<float, invalid<Trained>>{}; };
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
  using Trained = detail::can_be_trained<std::remove_cvref_t<Model>>;
  static_assert(Stays::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_MODEL_IS_CONST, Stays));
  static_assert(Trained::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_MODEL_IS_EVALUATED, Trained));
  using OneDevice = detail::model_on_one_device<std::remove_cvref_t<Model>>;
  static_assert(OneDevice::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_ON_ONE_DEVICE, OneDevice));
  detail::check_loss(loss);
  if constexpr (Trained::agree && OneDevice::agree)
    return
        [of = detail::gradient_function_of<Loss>(model)](auto const& x, auto const& y) { return of(x, y).gradients; };
  else return [](auto const&...) { return invalid<Trained>{}; };
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
#include "../base/diagnostics_pop.hpp"

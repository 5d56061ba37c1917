// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "fit.hpp"
#include "given.hpp"
#include "label_error.hpp"
#include "loss_error.hpp"
#include "model.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Gradients of a model's trainable parameters, named and laid out like the parameters, in the memory of the model's device.
template <class Net, class T = float, class Device = cpu>
class gradients {
  using Engine = typename detail::engine_of<Device>::type;
  static constexpr std::int64_t size = slots_of<Net>.parameters.trainable_storage;
  static constexpr std::size_t bytes = detail::bytes_for<T>(static_cast<std::size_t>(size));

 public:
  gradients() : gradients{Engine{}} {}
  explicit gradients(Engine const& engine) : engine_{engine}, memory_(engine_.take(bytes)) {}
  gradients(gradients const& other) : gradients{other.engine_} { *this = other; }
  gradients& operator=(gradients const& other) {
    if (this != &other) engine_.copy(span().data(), other.span().data(), bytes);
    return *this;
  }

  /// All of them in a row. On a device with memory of its own: a device_span.
  auto span() { return engine_.see(memory_.template at<T>(0), size); }
  auto span() const { return engine_.see(static_cast<T const*>(memory_.template at<T>(0)), size); }

  /// The gradient of the parameter of that path.
  /// errors  a name that the net does not have, and that of a frozen parameter, throws name_error
  auto parameter(detail::asked_name wanted) const { return detail::get_tensor<Net, true>(engine_, wanted.of, memory_.template at<T>(0), true); }
  /// The same for a name that the net may not have, or that is frozen: what is not found converts to false and has no elements.
  auto find_parameter(detail::asked_name wanted) const { return detail::find_tensor<Net, true>(engine_, wanted.of, memory_.template at<T>(0), true); }
  /// f(name, extents, span) for each, in the order of declaration. On a device with memory of its own the spans are of a copy on the host.
  template <class F>
  void for_each_parameter(F&& f) const {
    using Takes = detail::takes_tensors<F, T>;
    static_assert(Takes::agree, ESPALIER_SENTENCE("gradients.for_each_parameter(f): " ESPALIER_TAKES_TENSORS, Takes));
    detail::on_host(engine_, memory_.template at<void>(0), static_cast<std::size_t>(size) * sizeof(T), false,
                    [&](unsigned char* at) { detail::for_each_tensor<Net, true>(reinterpret_cast<T*>(at), true, f); });
  }

 private:
  [[no_unique_address]] Engine engine_;
  typename Engine::memory memory_;
};

/// A loss and the gradients that belong to it. Of a model of 16 bits the loss is a float, and the gradients are stored in 16 bits.
template <class T, class Gradients>
struct loss_and_gradients {
  T loss;
  Gradients slopes;
};

namespace detail {

/// What the targets of a batch are compared with.
template <class Element, class S>
struct targets_asked {
  using element_type = Element;
  using shape_type = S;
};

template <class Model, class Loss>
struct model_gradient_function {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Engine = typename Model::engine_type;
  using Device = typename Engine::memory_device;
  template <StoredAnywhere X>
  using fault_of = typename training_fit<Net, Loss, shape_of<X>>::fault;
  template <StoredAnywhere X, StoredAnywhere Y>
  using targets_fit = decltype(targets_fault<Net, Loss, T, shape_of<X>, Y, fault_of<X>::agree>());

  reference<Model> model;

  /// errors  layers and loss that do not fit, and targets that the loss does not ask for, do not compile
  template <StoredAnywhere X, StoredAnywhere Y, class Fault = fault_of<X>, class Targets = targets_fit<X, Y>>
  auto operator()(X const& x, Y const& y) const {
    using Fit = training_fit<Net, Loss, shape_of<X>>;
    static_assert(is_loss<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_IS_LOSS, is_loss<Loss>));
    static_assert(loss_has_target<Loss>::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_HAS_TARGET, loss_has_target<Loss>));
    static_assert(loss_without_parameters<Loss>::agree || !loss_has_target<Loss>::agree,
                  ESPALIER_SENTENCE(ESPALIER_LOSS_WITHOUT_PARAMETERS, loss_without_parameters<Loss>));
    using Layers = in_facts<typename Fit::layers, root_at<model_gradient_function, X>>;
    static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(say_in_words(in_words<typename Fit::layers>{})) != 0);
    using LossMisfit = in_facts<typename Fit::loss, root_at<model_gradient_function, X>>;
    static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
    static_assert(sizeof(say_in_words(in_words<typename Fit::loss>{})) != 0);
    static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));
    static_assert(holds<shape_is, Targets>,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): targets must have the shape that the loss asks for", Targets));
    static_assert(holds<element_is, Targets>,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): targets have another element type than the loss asks for",
                                    Targets));
    static_assert(element_is<element_of<X>, T>::agree,
                  ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): x has another element type than the model",
                                    element_is<element_of<X>, T>));
    using Reached = reaches<Device, X, Y>;
    static_assert(Reached::agree, ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): " ESPALIER_REACHABLE, Reached));
    using number = computed_in<T>;
    loss_and_gradients<number, gradients<Net, T, Device>> result{number(0), gradients<Net, T, Device>{model->engine().without_threads()}};
    if constexpr (Fault::agree && Targets::agree && element_is<element_of<X>, T>::agree && Reached::agree)
      run<training_source<Net, Loss, shape_of<X>>>(elements_of<T const>(x), elements_of<element_of<Y> const>(y), result);
    return result;
  }
  /// Targets in memory of your own: a range of as many numbers as the loss asks for. The inputs say the shape of the batch, so they are a tensor or a view.
  /// errors  range_error for another number of elements, before anything is computed
  template <class X, class Y>
    requires(!StoredAnywhere<X> || !StoredAnywhere<Y>)
  auto operator()(X const& x, Y const& y) const {
    using Shape = is_tensor_or_view<X>;
    static_assert(Shape::agree, ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): x: expected a tensor or a view, which say their shape; write view<T const, shape<N, ...>>(x)",
                                                  Shape));
    if constexpr (Shape::agree) {
      using Targets = decltype(targets_asked_for<X>());
      using Fit = given_fit<Y const, typename Targets::element_type const, typename Targets::shape_type>;
      static_assert(Fit::agree, ESPALIER_SENTENCE("value_and_grad(model, loss)(x, y): y: " ESPALIER_GIVEN_TARGETS, Fit));
      if constexpr (Fit::agree)
        return (*this)(x, as_given<typename Targets::element_type const, typename Targets::shape_type>("value_and_grad(model, loss)(x, y): y", y));
      else return loss_and_gradients<computed_in<T>, gradients<Net, T, Device>>{};
    } else {
      return loss_and_gradients<computed_in<T>, gradients<Net, T, Device>>{};
    }
  }

 private:
  /// Where net and loss do not fit, of any kind: the call that follows refuses them.
  template <class X>
  static constexpr auto targets_asked_for() {
    if constexpr (fault_of<X>::agree) {
      using Source = training_source<Net, Loss, shape_of<X>>;
      return targets_asked<std::conditional_t<std::is_void_v<typename Source::element>, T, typename Source::element>, typename Source::target>{};
    } else {
      return targets_asked<T, espalier::shape<>>{};
    }
  }
  template <class Source, class X, class Y, class Result>
  void run(X x, Y y, Result& result) const {
    constexpr std::size_t targets_at = tensor_alignment + bytes_for<T>(static_cast<std::size_t>(Source::batch::size));
    constexpr std::size_t loss_at = targets_at + bytes_for<T>(static_cast<std::size_t>(Source::target::size)), end = loss_at + tensor_alignment;
    Engine const& engine = model->engine();
    auto exchange = engine.exchange_of(end, end);
    if constexpr (std::is_integral_v<typename Source::element>)
      check_labels(exchange.look(y, targets_at), Source::target::size, label_range_of<Loss, typename Source::prediction>());
    auto const workspace = engine.take(Engine::template workspace_bytes<Source, T>);
    on_cpu::random_state random{model->initial_seed().value, next_draw()};
    program_bases b = model->bases();
    b.at[plan::base::workspace] = workspace.template at<T>(0);
    b.at[plan::base::gradients] = result.slopes.span().data();
    b.at[plan::base::key] = exchange.give(one_element(random), 0);
    b.at[plan::base::arguments] = exchange.give(x, tensor_alignment);
    b.at[plan::base::arguments + 1] = exchange.give(y, targets_at);
    typename Engine::template result<Source, T> loss{0};
    b.at[plan::base::results] = exchange.want(one_element(loss), loss_at);
    exchange.send();
    engine.template run<Source, T>(b.at);
    exchange.fetch(loss_at, tensor_alignment);
    exchange.take(one_element(loss), loss_at);
    result.loss = static_cast<decltype(result.loss)>(loss);
  }
  /// A const model has no random numbers, and counts no draws.
  std::uint64_t next_draw() const {
    if constexpr (std::is_const_v<Model>) return model->draws();
    else return model->next_draw();
  }
};

template <class X>
inline constexpr bool is_model = false;
template <class Net, class Device, class T>
inline constexpr bool is_model<model<Net, Device, T>> = true;
/// A model, however it is given to a function.
template <class X>
concept AnyModel = is_model<std::remove_cvref_t<X>>;

/// Fact for a refusal: a run of training changes nothing in a model, since its net has neither buffers nor random numbers.
template <class Model>
struct stays_as_it_is {
  static constexpr bool agree = !std::is_const_v<Model> ||
      (slots_of<typename Model::net_type>.buffers.count == 0 && slots_of<typename Model::net_type>.streams == 0);
};

template <class Model>
using lives_behind = std::conditional_t<std::is_lvalue_reference_v<Model>, agreed, lives_on<Model>>;
template <class Model>
using stays_behind = std::conditional_t<std::is_lvalue_reference_v<Model>, stays_as_it_is<std::remove_reference_t<Model>>, agreed>;
template <class Loss, class Model>
auto gradient_function_of(Model& model) {
  return model_gradient_function<Model, Loss>{reference<Model>{model}};
}

/// Fact for a refusal: the batch and its targets are given to the function that is made of model and loss.
template <class... Given>
struct given_to_function {
  ESPALIER_READS("given {...}")
  static constexpr bool agree = sizeof...(Given) == 0;
};

}  // namespace detail

/// value_and_grad(model, loss)(x, y): the loss in training mode and the gradients of all trainable parameters; running statistics are updated and
/// dropout draws, as in a step of training. A trainer does the same without allocating.
/// shape   a batch, its targets -> {loss, slopes}
/// errors  layers and loss that do not fit do not compile, nor do a temporary model and a const one whose net has buffers or random numbers; a label
///         outside the classes throws label_error and changes nothing
template <detail::AnyModel Model, class Loss>
auto value_and_grad(Model&& model, Loss loss) {
  using Lives = detail::lives_behind<Model>;
  using Stays = detail::stays_behind<Model>;
  static_assert(Lives::agree, ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_MODEL_IS_TEMPORARY, Lives));
  static_assert(Stays::agree, ESPALIER_SENTENCE("value_and_grad(model, loss): " ESPALIER_MODEL_IS_CONST, Stays));
  detail::check_loss(loss);
  return detail::gradient_function_of<Loss>(model);
}

/// Refused: the batch beside the model.
template <detail::AnyModel Model, class Loss, class X, class... More>
auto value_and_grad(Model&&, Loss, X const&, More const&...) {
  using Given = detail::given_to_function<X, More...>;
  static_assert(Given::agree, ESPALIER_SENTENCE("value_and_grad(model, loss) makes a function; write value_and_grad(model, loss)(x, y)", Given));
  using Found = std::remove_cvref_t<Model>;
  return loss_and_gradients<detail::computed_in<typename Found::value_type>, refused<Given>>{};
}

/// grad(model, loss)(x, y): the slopes of value_and_grad alone.
/// shape   a batch, its targets -> slopes, named and laid out like the parameters
/// errors  as of value_and_grad
template <detail::AnyModel Model, class Loss>
auto grad(Model&& model, Loss loss) {
  using Lives = detail::lives_behind<Model>;
  using Stays = detail::stays_behind<Model>;
  static_assert(Lives::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_MODEL_IS_TEMPORARY, Lives));
  static_assert(Stays::agree, ESPALIER_SENTENCE("grad(model, loss): " ESPALIER_MODEL_IS_CONST, Stays));
  detail::check_loss(loss);
  return [of = detail::gradient_function_of<Loss>(model)](auto const& x, auto const& y) { return of(x, y).slopes; };
}
/// Refused: the batch beside the model.
template <detail::AnyModel Model, class Loss, class X, class... More>
auto grad(Model&&, Loss, X const&, More const&...) {
  using Given = detail::given_to_function<X, More...>;
  static_assert(Given::agree, ESPALIER_SENTENCE("grad(model, loss) makes a function; write grad(model, loss)(x, y)", Given));
  return refused<Given>{};
}

}  // namespace espalier
#pragma GCC diagnostic pop

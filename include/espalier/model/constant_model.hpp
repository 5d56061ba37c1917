// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <initializer_list>

#include "../base/needs_header.hpp"
#include "../device/check_indices.hpp"
#include "../tracing/interpret.hpp"
#include "constant_tensors.hpp"
#include "gradients.hpp"
#include "net_call.hpp"

ESPALIER_HEADER_INCLUDED(constant_model);

/// Computes a net's forward pass, loss and gradients in constant expressions, so that static_assert can check them.
namespace espalier {

namespace detail {

/// The inputs of a program: those of a net, or a batch and its targets.
template <class T>
struct constant_arguments {
  T const* real[tracing::max_arguments];
  std::int32_t const* labels[tracing::max_arguments];
  int count;
  constexpr void add(T const* data) { real[count++] = data; }
  constexpr void add(std::int32_t const* data) { labels[count++] = data; }
};

}  // namespace detail

/// The result of a training step without its update: the loss, the gradients and the new buffers. The gradients have
/// the names of the parameters; those of frozen parameters are 0.
template <class Net, class T>
struct constant_gradients {
  T loss{};
  constant_tensors<Net, T, true> gradients{};
  constant_tensors<Net, T, false> buffers{};
};

/// constant_model<Net, T>: a net and its numbers as a literal value, which the compiler evaluates. Use it for proofs
/// about small nets; use a model for speed. It interprets the programs of a model, a predictor and a trainer node by
/// node, without kernels.
///
///     constexpr esp::constant_model<Net> net{esp::seed{0}};         // initialized as esp::model<Net>{esp::seed{0}}
///     constexpr auto given = net.with<"0.bias">({0.5f, -0.5f});     // another value with these numbers
///     static_assert(all_close(net(x), expected));
///     constexpr auto step = esp::value_and_grad(net, nn::SoftmaxLoss{})(x, labels);
///     // step.loss, step.gradients.get<"0.bias">()[1]
///
/// shape   as of the net; T is float or double
/// memory  the value contains its numbers; an evaluation allocates all activations at once and frees them at its end
/// errors  layers, losses and targets that do not fit do not compile, as for a model; neither do an unknown name and a
///         wrong count of numbers. A label outside the classes is not a constant expression
/// cost    some evaluation steps for each product of a contraction and each element of any other op. Linear<64, 64> on
///         four rows takes two seconds, within the default limits of compilers (clang: -fconstexpr-steps, g++:
///         -fconstexpr-ops-limit)
template <class Net, class T>
  requires detail::is_included<detail::headers::constant_model, T>
class constant_model<Net, T> {
  template <class Found, std::size_t Count>
  using counted = decltype(detail::element_count_fault<Net, Found, static_cast<std::int64_t>(Count)>());

  using Kind = decltype(detail::unreported_kind_fault<Net, constant_model>());
  static_assert(Kind::agree, ESPALIER_SENTENCE("constant_model<Net>: " ESPALIER_IS_NET, Kind));
  using Made = decltype(detail::unreported_list_fault<Net, constant_model>());
  static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
  static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
  static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
  static_assert(sizeof(detail::own_message_fault<detail::net_fault<Net>, Net>::report()) != 0);
  static_assert(std::is_floating_point_v<T>, ESPALIER_SENTENCE("constant_model<Net, T>: T is float or double",
                                                               ESPALIER_STATED(std::is_floating_point_v<T>, T)));
  using Begins = detail::initial_fault<Net, T>;
  static_assert(Begins::agree, ESPALIER_SENTENCE("constant_model<Net>: " ESPALIER_INITIAL_ELEMENTS, Begins));

 public:
  using net_type = Net;
  using value_type = T;
  static constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;

  constant_tensors<Net, T, true> parameters{};
  constant_tensors<Net, T, false> buffers{};
  seed start{};
  std::uint64_t random_step = 0;  ///< index of the training run whose random numbers value_and_grad uses

  constexpr explicit constant_model(seed begin = {0}) : start{begin} {
    std::uint32_t number = 0;
    initialize<true>(parameters, number);
    initialize<false>(buffers, number);
  }

  /// Converts the numbers of a model of another element type.
  template <class U>
  constexpr explicit constant_model(constant_model<Net, U> const& other)
      : start{other.start}, random_step{other.random_step} {
    for (std::int64_t i = 0; i < parameters.elements().size(); ++i)
      parameters.elements()[i] = static_cast<T>(other.parameters.elements()[i]);
    for (std::int64_t i = 0; i < buffers.elements().size(); ++i)
      buffers.elements()[i] = static_cast<T>(other.buffers.elements()[i]);
  }

  /// Returns the same net with other numbers in one parameter or buffer: net.with<"0.bias">({0.5f, -0.5f}).
  /// errors  an unknown name and a wrong count of numbers do not compile
  template <tensor_name Name, std::size_t Count, class Found = detail::tensor_named<Net, Name>,
            class Counted = counted<Found, Count>>
  constexpr constant_model with(T const (&numbers)[Count]) const {
    static_assert(Found::agree, ESPALIER_SENTENCE("with<name>(numbers): " ESPALIER_HAS_NAME("parameter or buffer"),
                                                  detail::name_fact<Found>));
    static_assert(Counted::agree,
                  ESPALIER_SENTENCE("with<name>(numbers): the tensor has another number of elements", Counted));
    constant_model r = *this;
    if constexpr (Found::agree && Counted::agree) {
      auto const to = r.numbers_of(Name.text);
      for (std::size_t i = 0; i < Count; ++i) to[static_cast<std::int64_t>(i)] = numbers[i];
    }
    return r;
  }
  /// The same for a path that is computed.
  /// errors  an unknown name and a wrong count of numbers are not constant expressions; at run time they throw
  ///         name_error
  constexpr constant_model with(char const* path, std::initializer_list<T> numbers) const {
    constant_model r = *this;
    auto const to = r.numbers_of(path);
    if (to.size() != static_cast<std::int64_t>(numbers.size())) detail::the_tensor_has_another_number_of_elements(path);
    std::int64_t i = 0;
    for (T const number : numbers) to[i++] = number;
    return r;
  }

  /// The net's output in evaluation mode, for one input or several: a tensor, or a std::tuple of them.
  /// shape   any batch that fits the net -> its output
  template <Stored... X>
    requires(sizeof...(X) > 0)
  constexpr auto operator()(X const&... x) const {
    using Batch = detail::batch_of_shapes<shape_of<X>...>;
    using Found = detail::results_of_net<Net, Batch>;
    using Element = std::conditional_t<layers_fit<Found>::agree, detail::elements_of_inputs<Net, T, X...>, agreed>;
    using Layers = detail::root_message_fault<Found, Net, detail::root_at<constant_model, X...>>;
    static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(detail::own_message_fault<Found, Net>::report()) != 0);
    static_assert(Element::agree, ESPALIER_SENTENCE("constant_model(x): " ESPALIER_INPUT_ELEMENT, Element));
    if constexpr (!layers_fit<Found>::agree) {
      return Found{};
    } else if constexpr (!Element::agree) {
      return invalid<Element>{};
    } else {
      typename detail::returned_tensors<T, cpu, Found>::type y;
      detail::constant_arguments<T> arguments{};
      (arguments.add(x.data()), ...);
      run<detail::evaluation_program<Net, Batch>>(arguments, [&](graph::output const& o, std::int64_t i, T value) {
        detail::with_each(y, [&](auto&... each) {
          int result = 0;
          ((o.index == result++ ? void(each.data()[i] = value) : void()), ...);
        });
      });
      return y;
    }
  }

  /// Runs one of the net's programs and calls f(output, element, value) for each element of each output.
  template <class Program, class F>
  constexpr void run(detail::constant_arguments<T> const& arguments, F&& f) const {
    detail::check_indices<Program>([&](int position, std::int64_t) { return arguments.labels[position]; });
    constexpr auto const& p = plan::graph_of<Program>;
    int roots[static_cast<std::size_t>(p.output_count) + 1]{};
    for (int i = 0; i < p.output_count; ++i) roots[i] = p.outputs[i].id;
    T const *parameter[detail::max_slots]{}, *buffer[detail::max_slots]{};
    for (int i = 0; i < detail::tensor_count<Net, true>; ++i)
      parameter[i] = parameters.elements().data() + detail::rows_of<Net, true>.at[i].offset;
    for (int i = 0; i < detail::tensor_count<Net, false>; ++i)
      buffer[i] = buffers.elements().data() + detail::rows_of<Net, false>.at[i].offset;
    random_numbers const random{p.nodes, start.value, random_step};
    tracing::interpreter<T> interpreter{p.nodes, roots, p.output_count};
    interpreter.run(
        tracing::leaf_values<T>{arguments.real, arguments.labels, nullptr, parameter, buffer, random.at, nullptr});
    for (int k = 0; k < p.output_count; ++k)
      for (std::int64_t i = 0; i < p.nodes[p.outputs[k].id].shape.size(); ++i)
        f(p.outputs[k], i, interpreter.value(p.outputs[k].id)[i]);
  }

 private:
  /// The random numbers of a training run, equal to those of a model.
  struct random_numbers {
    std::uint64_t count = 0;
    T** at;  ///< by stream number
    constexpr random_numbers(graph::node_table const& g, std::uint64_t key, std::uint64_t run_number) {
      for (int id = 1; id <= g.size; ++id)
        if (g[id].op->family == op_family::random && stream_of(g[id]) >= count) count = stream_of(g[id]) + 1;
      at = new T* [static_cast<std::size_t>(count)] {};
      for (int id = 1; id <= g.size; ++id) {
        if (g[id].op->family != op_family::random || at[stream_of(g[id])] != nullptr) continue;
        std::int64_t const size = g[id].shape.size();
        T* const numbers = at[stream_of(g[id])] = new T[static_cast<std::size_t>(size)];
        for (std::int64_t i = 0; i < size; ++i)
          numbers[i] = uniform_from_bits<T>(philox_bits(i, key, run_number << 20 | stream_of(g[id])));
      }
    }
    constexpr ~random_numbers() {
      for (std::uint64_t i = 0; i < count; ++i) delete[] at[i];
      delete[] at;
    }
    random_numbers(random_numbers const&) = delete;
    random_numbers& operator=(random_numbers const&) = delete;
  };

  constexpr span<T> numbers_of(char const* path) {
    return detail::slot_of_name<Net, false>(path) >= 0 ? buffers[path] : parameters[path];
  }

  template <bool Parameters>
  constexpr void initialize(constant_tensors<Net, T, Parameters>& tensors, std::uint32_t& number) const {
    detail::visit_leaves(numbered<Net>, [&]<class Member>(Member const& member) {
      if constexpr (detail::ParameterMember<Member> == Parameters) {
        detail::tensor_row const& row = detail::rows_of<Net, Parameters>.at[member.slot];
        nn::init::fill(Member::initializer_type::value,
                       span<T>{tensors.elements().data() + row.offset, row.shape.size()},
                       nn::init::stream{start.value, number + static_cast<std::uint32_t>(member.slot)});
      }
    });
    number += static_cast<std::uint32_t>(detail::tensor_count<Net, Parameters>);
  }
};

namespace detail {

template <class Net, class T>
class gradient_run<constant_model<Net, T> const> {
 public:
  using device = cpu;
  using result = constant_gradients<Net, T>;

  constexpr explicit gradient_run(constant_model<Net, T> const& model) : model_{model} {}

  constexpr result empty() const { return {}; }

  template <class Program, class Loss, class X, class Y>
  constexpr void run(X const& x, Y const& y, result& to) const {
    using Sound [[maybe_unused]] = typename plan::sound_program<Program>::checked;
    if constexpr (std::is_integral_v<typename Program::element>) {
      constexpr label_range range = label_range_of<Loss, typename Program::prediction>();
      for (std::int64_t i = 0; i < Program::target::size; ++i)
        if (!range.accepts(y.data()[i])) check_labels(y.data(), Program::target::size, range);
    }
    constant_arguments<T> arguments{};
    arguments.add(x.data());
    arguments.add(y.data());
    to.buffers = model_.buffers;
    model_.template run<Program>(arguments, [&](graph::output const& output, std::int64_t i, T value) {
      if (output.where == graph::destination::result) to.loss = value;
      else if (output.where == graph::destination::gradient)
        to.gradients.elements()[rows_of<Net, true>.at[output.index].offset + i] = value;
      else to.buffers.elements()[rows_of<Net, false>.at[output.index].offset + i] = value;
    });
  }

 private:
  constant_model<Net, T> const& model_;
};

}  // namespace detail

/// value_and_grad(constant_model, loss)(x, y): the loss in training mode, the gradients of all trainable parameters,
/// and the new buffers.
/// shape   a batch, its targets -> {loss, gradients, buffers}
/// errors  layers and loss that do not fit do not compile; a label outside the classes is not a constant expression
template <class Net, class T, class Loss>
constexpr auto value_and_grad(constant_model<Net, T> const& model, Loss loss) {
  detail::check_loss(loss);
  using Model = constant_model<Net, T> const;
  return detail::model_gradient_function<Model, Loss>{detail::gradient_run<Model>{model}};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

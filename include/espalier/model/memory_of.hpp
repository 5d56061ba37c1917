// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/bytes.hpp"
#include "model.hpp"

namespace espalier {

/// The memory of models, trainers, predictors, frozen and quantized nets and streams, in bytes. ram_bytes and
/// flash_bytes are what they occupy; the other numbers are parts of it.
/// units   bytes of the target that the program is compiled for
struct memory_facts {
  std::size_t parameter_bytes = 0;  ///< parameters, also prepared ones, in ram
  std::size_t buffer_bytes = 0;     ///< running statistics, in ram
  std::size_t gradient_bytes = 0;
  std::size_t optimizer_bytes = 0;  ///< states and master weights
  std::size_t workspace_bytes = 0;  ///< activations and temporaries
  std::size_t kernel_bytes = 0;     ///< what kernels need for themselves
  std::size_t other_bytes = 0;      ///< copies, states of a stream, and gaps that align parts
  std::size_t object_bytes = 0;     ///< the objects themselves, in ram
  std::size_t ram_bytes = 0;        ///< the sum of all above
  std::size_t flash_bytes = 0;      ///< constant weights and the objects that hold them

  friend constexpr memory_facts operator+(memory_facts a, memory_facts const& b) {
    a.parameter_bytes += b.parameter_bytes;
    a.buffer_bytes += b.buffer_bytes;
    a.gradient_bytes += b.gradient_bytes;
    a.optimizer_bytes += b.optimizer_bytes;
    a.workspace_bytes += b.workspace_bytes;
    a.kernel_bytes += b.kernel_bytes;
    a.other_bytes += b.other_bytes;
    a.object_bytes += b.object_bytes;
    a.ram_bytes += b.ram_bytes;
    a.flash_bytes += b.flash_bytes;
    return a;
  }
};

namespace detail {

/// The bytes that a type states: those that its objects allocate, or that a program passes.
template <class X>
concept StatesBytes = requires {
  { X::bytes } -> std::convertible_to<std::size_t>;
};
/// The model that a predictor, a trainer, ... is of; X itself, if it is a model.
template <class X>
struct model_behind {
  using type = X;
};
template <template <class, class...> class Of, ModelType Model, class... More>
struct model_behind<Of<Model, More...>> {
  using type = Model;
};
template <template <class, class, int, int, class> class Of, ModelType Model, class Block, int Axis, int Context,
          class Found>
struct model_behind<Of<Model, Block, Axis, Context, Found>> {
  using type = Model;
};
/// Named relation: X states its memory.
template <class X>
struct states_memory {
  ESPALIER_READS("{}")
  static constexpr bool agree = StatesBytes<X> && ModelType<typename model_behind<X>::type>;
};
/// Named relation: X is on this processor.
template <class X>
struct memory_on_host {
  ESPALIER_READS("{}")
  static constexpr bool agree = [] {
    if constexpr (states_memory<X>::agree) return computes_on_host<typename model_behind<X>::type::device_type>::agree;
    else return true;
  }();
};

/// Named relation: the memory of X does not depend on the number of processes.
template <class X>
struct memory_is_constant {
  ESPALIER_READS("{}")
  static constexpr bool agree = !requires { X::optimizer_bytes(1, 0); };
};

/// A model whose numbers are constants: it states that it needs no memory for its parameters.
template <class X>
constexpr bool has_constant_weights() {
  if constexpr (ModelType<X>) return X::bytes == 0 && slots_of<typename X::net_type>.parameters.storage > 0;
  else return false;
}
template <class X>
constexpr std::size_t constant_weight_bytes() {
  using T = typename X::value_type;
  auto const& slots = slots_of<typename X::net_type>;
  return bytes_for<T>(static_cast<std::size_t>(slots.parameters.storage)) +
         bytes_for<T>(static_cast<std::size_t>(slots.buffers.storage));
}

template <class X>
constexpr memory_facts memory_of_one() {
  memory_facts r;
  if constexpr (has_constant_weights<X>()) {
    r.flash_bytes = constant_weight_bytes<X>() + sizeof(X);
  } else {
    // The parameters that a trainer states are its model's.
    constexpr bool trains = requires { X::gradient_bytes; };
    if constexpr (requires { X::parameter_bytes; })
      if constexpr (!trains) r.parameter_bytes = X::parameter_bytes;
    if constexpr (requires { X::buffer_bytes; })
      if constexpr (!trains) r.buffer_bytes = X::buffer_bytes;
    if constexpr (requires { X::gradient_bytes; }) r.gradient_bytes = X::gradient_bytes;
    if constexpr (requires { X::optimizer_bytes; }) r.optimizer_bytes = X::optimizer_bytes;
    if constexpr (requires { X::workspace_bytes; }) r.workspace_bytes = X::workspace_bytes;
    if constexpr (requires { X::kernel_bytes; }) r.kernel_bytes = X::kernel_bytes;
    r.object_bytes = sizeof(X);
    constexpr std::size_t all = X::bytes > 0 ? sizeof(bytes<X::bytes>) : 0;
    r.other_bytes = all - r.parameter_bytes - r.buffer_bytes - r.gradient_bytes - r.optimizer_bytes -
                    r.workspace_bytes - r.kernel_bytes;
    r.ram_bytes = all + r.object_bytes;
  }
  return r;
}

/// The first relation that a type of the list violates, or agreed.
template <template <class> class Relation, class... X>
struct first_violation {
  using type = agreed;
};
template <template <class> class Relation, class First, class... More>
struct first_violation<Relation, First, More...>
    : std::conditional_t<Relation<First>::agree, first_violation<Relation, More...>,
                         std::type_identity<Relation<First>>> {};

template <class... X>
constexpr memory_facts memory_of_all() {
  using States = typename first_violation<states_memory, X...>::type;
  static_assert(
      States::agree,
      ESPALIER_SENTENCE("memory_of<X...>: X must be a model, a trainer, a predictor, a frozen or quantized net, "
                        "or a stream",
                        States));
  using OnHost = typename first_violation<memory_on_host, X...>::type;
  static_assert(
      OnHost::agree,
      ESPALIER_SENTENCE("memory_of<X...>: X has the memory of a device, which is neither flash nor ram of the "
                        "processor",
                        OnHost));
  using Constant = typename first_violation<memory_is_constant, X...>::type;
  static_assert(
      Constant::agree,
      ESPALIER_SENTENCE("memory_of<X...>: the states of a sharded optimizer depend on the number of processes: "
                        "trainer::bytes + trainer::optimizer_bytes(processes, rank)",
                        Constant));
  if constexpr (States::agree && OnHost::agree && Constant::agree) return (memory_facts{} + ... + memory_of_one<X>());
  else return {};
}

}  // namespace detail

/// What objects of these types need of a processor's memory: what they allocate, or what you pass as esp::bytes, and
/// the objects. report/memory_report.hpp prints it.
///     using Model = esp::model<Net>;
///     using Trainer = esp::trainer<Model, nn::SoftmaxLoss, optim::SGD<>, esp::batch<8, 64>>;
///     static_assert(esp::memory_of<Model, Trainer>.ram_bytes <= 16 * 1024);
/// flash   weights of a read_only_model are constants, and so is the model if it is constexpr. A frozen and a quantized
///         net, and a model{embedded<Weights>}, copy them to ram
/// code    its size is known after linking: arm-none-eabi-size program.elf
/// memory  tensors of yours, the stack and the C library's memory are not included. The construction of a quantized net
///         allocates a further block, and frees it
/// errors  other types, and models on a graphics processor, do not compile
template <class... X>
inline constexpr memory_facts memory_of = detail::memory_of_all<X...>();

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

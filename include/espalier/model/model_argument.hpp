// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../eager/function_argument.hpp"
#include "parameter_gradients.hpp"
#include "reference.hpp"

/// A model as an argument of a function: its parameters and buffers are leaves of the function's program.
namespace espalier {

/// Named relation: models and gradients that are combined parameter by parameter are of one net.
template <class Expected, class Actual>
struct same_net {
  using is_of_a_call = void;
  ESPALIER_READS("expected {}, got {}")
  static constexpr bool agree = std::is_same_v<Expected, Actual>;
};

}  // namespace espalier

namespace espalier::detail {

/// The shape of a parameter of a net, for shape_from.
template <class Net, int Slot>
struct parameter_shape {
  static constexpr extents value = slots_of<Net>.parameters.shape[Slot];
};

/// Connects the tensors and streams of a module to the program of a function, behind those of earlier arguments.
template <class M>
constexpr void attach_argument(tracing::tracer& t, int first_stream, M& member) {
  if constexpr (ParameterMember<M> || BufferMember<M> || StreamMember<M>) {
    member.tracer = &t;
    member.slot += ParameterMember<M> ? t.next_parameter : BufferMember<M> ? t.next_buffer : first_stream;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto& inner) { attach_argument(t, first_stream, inner); });
  } else if constexpr (ArrayMember<M>) {
    for (auto& inner : member) attach_argument(t, first_stream, inner);
  }
}

template <class Model>
struct function_argument<model_leaf<Model>> {
  using Net = typename Model::net_type;
  static constexpr slots const& own = slots_of<Net>;
  static constexpr bool may_change = !std::is_const_v<Model>;
  static constexpr int tensors = 0, states = 2, parameters = own.parameters.count, buffers = own.buffers.count,
                       streams = own.streams, vectors = 1, numbers = 0;
  static constexpr traced_net<Net> add(tracing::tracer& t) {
    traced_net<Net> net{numbered<Net>, t.next_vector++};
    attach_argument(t, t.next_stream, static_cast<Net&>(net));
    t.next_parameter += parameters;
    t.next_buffer += buffers;
    t.next_stream += streams;
    return net;
  }
  template <class T, class Device>
  static auto gradient(Model& model) {
    return gradients<Net, T, Device>{model.engine().without_threads()};
  }
  static constexpr void lay_out(plan::address* parameter, plan::address* buffer, plan::address* vector,
                                argument_address at) {
    for (int i = 0; i < parameters; ++i) parameter[i] = {at.state, own.parameters.offset[i]};
    for (int i = 0; i < buffers; ++i) buffer[i] = {at.state + 1, own.buffers.offset[i]};
    *vector = {at.state, 0};
  }
  static constexpr int lay_out_gradients(plan::address* gradient, int result) {
    int count = 0;
    for (int i = 0; i < parameters; ++i)
      if (own.parameters.trainable[i]) gradient[count++] = {result, own.parameters.offset[i]};
    return count;
  }
  struct bound : reference<Model> {
    using reference<Model>::reference;
  };
  static void const* memory(Model& model) { return model.bases().at[plan::base::parameters]; }
  static void const* memory(bound& model) { return memory(*model); }
  template <class Program, class Address, class T>
  static void fill(Model& model, void** base, T*) {
    using OneDevice = on_one_device<typename Model::device_type>;
    static_assert(OneDevice::agree, ESPALIER_SENTENCE("f(model, x...): " ESPALIER_ON_ONE_DEVICE, OneDevice));
    program_bases const b = model.bases();
    base[Address::state] = b.at[plan::base::parameters];
    base[Address::state + 1] = b.at[plan::base::buffers];
  }
  template <class Program, class Address, class T>
  static void fill(bound& model, void** base, T* numbers) {
    fill<Program, Address>(*model, base, numbers);
  }
  template <class Program, class Address, class Bound, class T>
  static void finish(Bound&, T const*) {}
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

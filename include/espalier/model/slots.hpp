// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../nn/module.hpp"
#include "../plan/address.hpp"
#include "../tracing/trace.hpp"
#include "net_fault.hpp"

/// Numbers the parameters, buffers and random streams of a module type, and lays them out in a model's contiguous
/// storage.
namespace espalier {

namespace detail {

inline constexpr int max_slots = graph::max_outputs;

struct tensor_slots {
  std::int64_t offset[max_slots];
  extents shape[max_slots];
  bool trainable[max_slots];
  int count;
  std::int64_t elements;  ///< without the gaps that align each tensor
  std::int64_t storage;   ///< with these gaps
  std::int64_t trainable_storage;
};

struct slots {
  tensor_slots parameters;
  tensor_slots buffers;
  int streams;
};

template <class T>
concept ParameterMember = requires {
  typename T::is_parameter;
};
template <class T>
concept BufferMember = requires {
  typename T::is_buffer;
};
template <class T>
concept StreamMember = requires {
  typename T::is_random_stream;
};
template <class T>
concept ArrayMember = requires(T& t) {
  t.size();
  t[0];
  typename T::value_type;
};

constexpr int add_slot(tensor_slots& s, extents const& shape, bool trainable) {
  s.shape[s.count] = shape;
  s.trainable[s.count] = trainable;
  s.elements += shape.size();
  return s.count++;
}

/// Assigns slots to the parameters, buffers and streams of a module and its members, in the order of declaration.
/// Parameters inside a Frozen module are not trainable.
template <class M>
constexpr void number_members(M& member, slots& s, bool trainable) {
  if constexpr (ParameterMember<M>) {
    member.slot = add_slot(s.parameters, M::shape_type::value, trainable);
  } else if constexpr (BufferMember<M>) {
    member.slot = add_slot(s.buffers, M::shape_type::value, false);
  } else if constexpr (StreamMember<M>) {
    member.slot = s.streams++;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto& inner) {
      number_members(
          inner, s, trainable && !requires { typename M::is_frozen; });
    });
  } else if constexpr (ArrayMember<M>) {
    for (auto& inner : member) number_members(inner, s, trainable);
  }
}

/// Trainable tensors come first, so that an update is one sweep over a contiguous range.
constexpr void lay_out(tensor_slots& s) {
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < s.count; ++i) {
      if (s.trainable[i] != (pass == 0)) continue;
      s.offset[i] = s.storage;
      s.storage += plan::rounded(s.shape[i].size());
    }
    if (pass == 0) s.trainable_storage = s.storage;
  }
}

/// An invalid module has no slots.
template <class Net>
constexpr slots slots_of_net() {
  slots s{};
  if constexpr (net_fault<Net>::agree) {
    Net net{};
    number_members(net, s, true);
  }
  lay_out(s.parameters);
  lay_out(s.buffers);
  return s;
}
template <class Net>
constexpr auto number_net() {
  if constexpr (net_fault<Net>::agree) {
    slots s{};
    Net net{};
    number_members(net, s, true);
    return net;
  } else {
    return net_fault<Net>{};
  }
}

}  // namespace detail

/// A module object whose parameters, buffers and streams have their slots.
template <class Net>
inline constexpr auto numbered = detail::number_net<Net>();
template <class Net>
inline constexpr detail::slots slots_of = detail::slots_of_net<Net>();

namespace detail {

template <bool Parameters>
constexpr tensor_slots const& tensor_slots_of(slots const& s) {
  if constexpr (Parameters) return s.parameters;
  else return s.buffers;
}

/// The facts of a tensor that a running model needs: one row per tensor.
struct tensor_row {
  std::int64_t offset;
  extents shape;
  bool trainable;
};
template <int Count>
struct tensor_rows {
  tensor_row at[static_cast<std::size_t>(Count) + 1];
};
template <class Net, bool Parameters>
inline constexpr int tensor_count = tensor_slots_of<Parameters>(slots_of<Net>).count;
template <class Net, bool Parameters>
inline constexpr auto rows_of = [] {
  tensor_rows<tensor_count<Net, Parameters>> r{};
  tensor_slots const& s = tensor_slots_of<Parameters>(slots_of<Net>);
  for (int i = 0; i < s.count; ++i) r.at[i] = tensor_row{s.offset[i], s.shape[i], s.trainable[i]};
  return r;
}();

template <class Net>
struct net_layout {
  static constexpr plan::storage_layout value{slots_of<Net>.parameters.offset, slots_of<Net>.buffers.offset};
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

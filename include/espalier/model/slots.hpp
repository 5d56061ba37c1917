// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../nn/module.hpp"
#include "../plan/memory.hpp"
#include "../trace/trace.hpp"

/// The numbered parameters, buffers and random streams of a module type: what is where in a model's contiguous storage.
namespace espalier {

namespace nn {
/// A module whose parameters stay as they are: no gradient is computed for them and no update touches them.
/// shape   that of the module
template <class M>
struct Frozen {
  M module{};
  using is_frozen = void;
  ESPALIER_MODULE(Frozen, module)
  constexpr auto forward(auto x) const { return module(x); }
};
}  // namespace nn

namespace detail {

inline constexpr int max_slots = graph::max_outputs;

struct tensor_slots {
  std::int64_t offset[max_slots];
  extents shape[max_slots];
  bool trainable[max_slots];
  int count;
  std::int64_t elements;   ///< without the gaps that align each tensor
  std::int64_t storage;    ///< with them
  std::int64_t trainable_storage;
};

struct slots {
  tensor_slots parameters;
  tensor_slots buffers;
  int streams;
};

template <class T>
concept ParameterMember = requires { typename T::is_parameter; };
template <class T>
concept BufferMember = requires { typename T::is_buffer; };
template <class T>
concept StreamMember = requires { typename T::is_random_stream; };
template <class T>
concept ArrayMember = requires(T& t) {
  t.size();
  t[0];
  typename T::value_type;
};

constexpr int take_slot(tensor_slots& s, extents const& shape, bool trainable) {
  s.shape[s.count] = shape;
  s.trainable[s.count] = trainable;
  s.elements += shape.size();
  return s.count++;
}

/// Visits the members of a module: f(name, member) for each parameter, buffer and stream, with modules entered by enter(name, module).
template <class M>
constexpr void number(M& member, slots& s, bool trainable) {
  if constexpr (ParameterMember<M>) {
    member.slot = take_slot(s.parameters, M::shape_type::value, trainable);
  } else if constexpr (BufferMember<M>) {
    member.slot = take_slot(s.buffers, M::shape_type::value, false);
  } else if constexpr (StreamMember<M>) {
    member.slot = s.streams++;
  } else if constexpr (nn::Module<M>) {
    if constexpr (std::is_aggregate_v<M> && requires { M::listed_member_count; }) {
      using relation = nn::listed_members<M, nn::detail::member_count<M>(), M::listed_member_count>;
      static_assert(relation::agree, "ESPALIER_MODULE must list every member of the module");
    }
    M::visit_members(member, [&](char const*, auto& inner) { number(inner, s, trainable && !requires { typename M::is_frozen; }); });
  } else if constexpr (ArrayMember<M>) {
    for (auto& inner : member) number(inner, s, trainable);
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

template <class Net>
constexpr slots slots_of_net() {
  slots s{};
  Net net{};
  number(net, s, true);
  lay_out(s.parameters);
  lay_out(s.buffers);
  return s;
}
template <class Net>
constexpr Net number_net() {
  slots s{};
  Net net{};
  number(net, s, true);
  return net;
}

}  // namespace detail

/// A module object whose parameters know their slots.
template <class Net>
inline constexpr Net numbered = detail::number_net<Net>();
template <class Net>
inline constexpr detail::slots slots_of = detail::slots_of_net<Net>();

/// How many numbers a module learns.
template <class Net>
inline constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;

namespace detail {

/// Visits the parameters or buffers of a module with their paths ("3.fc1.weight").
template <bool Parameters, class M, class F>
constexpr void visit_tensors(M const& member, char* path, std::size_t length, F&& f) {
  if constexpr (ParameterMember<M> || BufferMember<M>) {
    if constexpr (ParameterMember<M> == Parameters) f(static_cast<char const*>(path), member);
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const* name, auto const& inner) {
      std::size_t n = length;
      if (n != 0) path[n++] = '.';
      for (char const* c = name; *c != 0; ++c) path[n++] = *c;
      path[n] = 0;
      visit_tensors<Parameters>(inner, path, n, f);
      path[length] = 0;
    });
  } else if constexpr (ArrayMember<M>) {
    int position = 0;
    for (auto const& inner : member) {
      auto const name = nn::name_of_position(position++);
      std::size_t n = length;
      if (n != 0) path[n++] = '.';
      for (char const* c = name.text; *c != 0; ++c) path[n++] = *c;
      path[n] = 0;
      visit_tensors<Parameters>(inner, path, n, f);
      path[length] = 0;
    }
  }
}

template <class Net>
struct net_layout {
  static constexpr plan::storage_layout value{slots_of<Net>.parameters.offset, slots_of<Net>.buffers.offset};
};

/// The type of a net applied to a batch, refused or not.
template <class Net, class Batch>
using applied_net = decltype(std::declval<Net const&>()(std::declval<argument<Batch, 0>>()));

}  // namespace detail

/// Named relation of a net and its input; a root shows it with the facts that travelled up.
template <class Found>
struct layers_fit {
  static constexpr bool value = !is_refused<Found>;
};

namespace detail {
template <class Found>
struct found_shape {
  static_assert(layers_fit<Found>::value, "a layer's input does not fit its weights");
  using type = shape<>;
};
template <class Found>
  requires(!is_refused<Found>)
struct found_shape<Found> {
  using type = shape_of<Found>;
};
}  // namespace detail

/// The shape of a module's result for an input of shape S.
/// errors  layers that do not fit each other or S do not compile
template <class Net, class S>
inline constexpr auto output_shape = typename detail::found_shape<detail::applied_net<Net, S>>::type{};

}  // namespace espalier

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/cpu/vector/vectors.hpp"
#include "../graph/sound.hpp"
#include "../nn/module.hpp"
#include "../plan/address.hpp"
#include "../storage/element.hpp"
#include "../trace/trace.hpp"
#include "net_fault.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Numbers the parameters, buffers and random streams of a module type, and lays them out in a model's contiguous
/// storage.
namespace espalier {

namespace graph {
template <nn::Module M>
inline constexpr bool is_reported_elsewhere<M> = !nn::detail::is_well_made<nn::well_made<M>>;
}  // namespace graph

namespace nn {
/// Freezes a module's parameters: they get no gradient and no update.
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

/// Connects the tensors and streams of a module to the program that is being traced.
template <class M>
constexpr void attach_tracer(trace::tracer& t, M& member) {
  if constexpr (ParameterMember<M> || BufferMember<M> || StreamMember<M>) {
    member.tracer = &t;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto& inner) { attach_tracer(t, inner); });
  } else if constexpr (ArrayMember<M>) {
    for (auto& inner : member) attach_tracer(t, inner);
  }
}
/// Traces a net on an operand of a program: traced_net returns the value, trace_net its node. Parameters of a net
/// object other than this one are faults.
template <class Net, class X>
constexpr auto traced_net(trace::tracer& t, X const& x) {
  Net net = numbered<Net>;
  attach_tracer(t, net);
  bool streams_used[slots_of<Net>.streams + 1]{};
  int updated[slots_of<Net>.buffers.count + 1]{};
  t.streams_used = streams_used;
  t.updated = updated;
  t.next_stream = slots_of<Net>.streams;
  auto const y = net(x);
  t.streams_used = nullptr;
  t.updated = nullptr;
  return y;
}
template <class Net, class Batch>
constexpr int trace_net(trace::tracer& t, int x) {
  return trace::trace_operand(t, traced_net<Net>(t, traced<Batch>{&t, x}));
}

/// The type of parameter_count for an invalid module: reading it produces one error. The assertions are in the
/// functions: with assertions in the class, clang would report a second error for the variable of that type.
template <class Net>
struct invalid_count {
  using Fault = net_fault<Net>;
  using Made = decltype(unreported_list_fault<Net, invalid_count>());
  constexpr invalid_count() = default;
  constexpr invalid_count(invalid_count const&) {
    static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(report_own_message(own_message_fault<Fault>{})) != 0);
  }
  constexpr operator std::int64_t() const {
    static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(report_own_message(own_message_fault<Fault>{})) != 0);
    return 0;
  }
  template <class X>
  friend constexpr bool operator==(invalid_count const&, X const&) {
    static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(report_own_message(own_message_fault<Fault>{})) != 0);
    return true;
  }
};
}  // namespace detail

/// The number of a module's parameters, counted by element.
/// errors  a module that does not list all its members does not compile
template <class Net, bool Sound = detail::net_fault<Net>::agree>
inline constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;
template <class Net>
inline constexpr auto const& parameter_count<Net, false> = detail::invalid_object<detail::invalid_count<Net>>;

namespace detail {

/// Visits the parameters or buffers of a module, in the order of declaration, with their paths ("3.fc1.weight").
template <bool Parameters, class M, class F>
constexpr void visit_tensors(M const& member, char* path, int length, F&& f) {
  if constexpr (ParameterMember<M> || BufferMember<M>) {
    if constexpr (ParameterMember<M> == Parameters) f(static_cast<char const*>(path), length, member);
  } else {
    auto const enter = [&](char const* name, auto const& inner) {
      int n = length;
      if (n != 0) path[n++] = '.';
      for (char const* c = name; *c != 0; ++c) path[n++] = *c;
      path[n] = 0;
      visit_tensors<Parameters>(inner, path, n, f);
      path[length] = 0;
    };
    if constexpr (nn::Module<M>) {
      M::visit_members(member, enter);
    } else if constexpr (ArrayMember<M>) {
      int position = 0;
      for (auto const& inner : member) enter(nn::name_of_position(position++).text, inner);
    }
  }
}
inline constexpr int longest_path = 512;

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

/// The paths of a net's tensors, by slot. Only a program that uses names contains them.
template <int Count, int Length>
struct tensor_names {
  char at[static_cast<std::size_t>(Count) + 1][static_cast<std::size_t>(Length) + 1];
};
template <class Net, bool Parameters>
constexpr int longest_name() {
  int longest = 0;
  char path[longest_path]{};
  visit_tensors<Parameters>(numbered<Net>, path, 0, [&](char const*, int length, auto const&) {
    longest = length > longest ? length : longest;
  });
  return longest;
}
template <class Net, bool Parameters>
inline constexpr auto names_of = [] {
  tensor_names<tensor_count<Net, Parameters>, longest_name<Net, Parameters>()> r{};
  char path[longest_path]{};
  visit_tensors<Parameters>(numbered<Net>, path, 0, [&](char const* name, int length, auto const& member) {
    for (int i = 0; i < length; ++i) r.at[member.slot][i] = name[i];
  });
  return r;
}();

/// Initializes a tensor; fill_functions_of lists these functions by slot. Arch is in the name so that translation units
/// for different instruction sets do not share a function, as for kernels.
template <class Initializer, class T, class Arch>
void fill_tensor(T* data, std::int64_t size, std::uint64_t seed, std::uint32_t number) {
  if constexpr (initializes<Initializer>)
    nn::init::fill(Initializer::value, espalier::span<T>{data, size}, nn::init::stream{seed, number});
}
template <class T>
using fill_function = void (*)(T*, std::int64_t, std::uint64_t, std::uint32_t);
template <class T, int Count>
struct fill_functions {
  fill_function<T> at[static_cast<std::size_t>(Count) + 1];
};
template <class M, class F>
constexpr void visit_leaves(M const& member, F&& f) {
  if constexpr (ParameterMember<M> || BufferMember<M>) {
    f(member);
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto const& inner) { visit_leaves(inner, f); });
  } else if constexpr (ArrayMember<M>) {
    for (auto const& inner : member) visit_leaves(inner, f);
  }
}
template <class Net, bool Parameters, class T, class Arch = on_cpu::default_arch>
inline constexpr auto fill_functions_of = [] {
  fill_functions<T, tensor_count<Net, Parameters>> r{};
  visit_leaves(numbered<Net>, [&]<class Member>(Member const& member) {
    if constexpr (ParameterMember<Member> == Parameters)
      r.at[member.slot] = &fill_tensor<typename Member::initializer_type, T, Arch>;
  });
  return r;
}();

/// Named relation: the function passed to for_each_parameter accepts a name, extents and a span.
template <class F, class T>
struct accepts_tensors {
  static constexpr bool agree = std::is_invocable_v<F&, char const*, extents const&, espalier::span<T>>;
};
#define ESPALIER_ACCEPTS_TENSORS \
  "f must accept three arguments: f(char const* name, esp::extents const& shape, esp::span<T> values)"

/// Calls f(name, extents, span) for each tensor at `base`, or only for trainable ones, in the order of declaration.
template <class Net, bool Parameters, class T, class F>
void for_each_tensor(T* base, bool trainable_only, F&& f) {
  if constexpr (accepts_tensors<F, T>::agree)
    for (int i = 0; i < tensor_count<Net, Parameters>; ++i) {
      tensor_row const& row = rows_of<Net, Parameters>.at[i];
      if (row.trainable || !trainable_only)
        f(static_cast<char const*>(names_of<Net, Parameters>.at[i]), row.shape,
          espalier::span<T>{base + row.offset, row.shape.size()});
    }
}

template <class Net>
struct net_layout {
  static constexpr plan::storage_layout value{slots_of<Net>.parameters.offset, slots_of<Net>.buffers.offset};
};

}  // namespace detail

namespace detail {
/// The type of output_shape if layers do not fit: reading it produces one error.
template <class Found>
struct invalid_shape {
  using shape_type = Found;
  constexpr invalid_shape() = default;
  constexpr invalid_shape(invalid_shape const&) {
    using Layers = root_message_fault<Found, invalid_shape>;
    static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(report_own_message(own_message_fault<Found>{})) != 0);
  }
};
/// Not a friend: in the error of a friend, nvcc does not print the type Found.
template <class Found, class X>
constexpr bool operator==(invalid_shape<Found> const&, X const&) {
  using Layers = root_message_fault<Found, invalid_shape<Found>>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(report_own_message(own_message_fault<Found>{})) != 0);
  return true;
}
}  // namespace detail

/// The shape of a module's result for an input of shape S.
/// errors  layers that do not fit each other or S do not compile
template <class Net, class S,
          class Found = detail::applied_net<Net, std::enable_if_t<(sizeof(detail::probe_forward<Net, S>) > 0), S>>,
          bool Fits = layers_fit<Found>::value>
inline constexpr shape_of<Found> output_shape{};
template <class Net, class S, class Found>
inline constexpr auto const& output_shape<Net, S, Found, false> = detail::invalid_object<detail::invalid_shape<Found>>;

}  // namespace espalier
#pragma GCC diagnostic pop

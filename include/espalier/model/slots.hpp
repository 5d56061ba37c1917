// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/cpu/vectors.hpp"
#include "../graph/sound.hpp"
#include "../nn/module.hpp"
#include "../plan/address.hpp"
#include "../storage/element.hpp"
#include "../trace/trace.hpp"
#include "net_fault.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The numbered parameters, buffers and random streams of a module type: what is where in a model's contiguous storage.
namespace espalier {

namespace graph {
template <nn::Module M>
inline constexpr bool is_refused_elsewhere<M> = !nn::detail::is_well_made<nn::well_made<M>>;
}  // namespace graph

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
constexpr void number_members(M& member, slots& s, bool trainable) {
  if constexpr (ParameterMember<M>) {
    member.slot = take_slot(s.parameters, M::shape_type::value, trainable);
  } else if constexpr (BufferMember<M>) {
    member.slot = take_slot(s.buffers, M::shape_type::value, false);
  } else if constexpr (StreamMember<M>) {
    member.slot = s.streams++;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto& inner) { number_members(inner, s, trainable && !requires { typename M::is_frozen; }); });
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

/// Of a module that is refused nothing is made.
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

/// A module object whose parameters have their slots.
template <class Net>
inline constexpr auto numbered = detail::number_net<Net>();
template <class Net>
inline constexpr detail::slots slots_of = detail::slots_of_net<Net>();

namespace detail {

/// Gives the tensors and streams of a module to a program that is being traced.
template <class M>
constexpr void give_to(graph::tracer& t, M& member) {
  if constexpr (ParameterMember<M> || BufferMember<M> || StreamMember<M>) {
    member.tracer = &t;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto& inner) { give_to(t, inner); });
  } else if constexpr (ArrayMember<M>) {
    for (auto& inner : member) give_to(t, inner);
  }
}
/// The value of a net for an operand of the program that is being traced, and its node. Parameters of other nets than this object are faults.
template <class Net, class X>
constexpr auto traced_net(graph::tracer& t, X const& x) {
  Net net = numbered<Net>;
  give_to(t, net);
  bool drawn[slots_of<Net>.streams + 1]{};
  int updated[slots_of<Net>.buffers.count + 1]{};
  t.drawn = drawn;
  t.updated = updated;
  t.next_stream = slots_of<Net>.streams;
  auto const y = net(x);
  t.drawn = nullptr;
  t.updated = nullptr;
  return y;
}
template <class Net, class Batch>
constexpr int trace_net(graph::tracer& t, int x) {
  return graph::trace_operand(t, traced_net<Net>(t, traced<Batch>{&t, x}));
}

/// What parameter_count is of a module that is not well made: one error, where it is read. (Not in the class: clang takes the variable that is made of it
/// for a second one.)
template <class Net>
struct refused_count {
  using Fault = net_fault<Net>;
  using Made = decltype(unsaid_list_fault<Net, refused_count>());
  constexpr refused_count() = default;
  constexpr refused_count(refused_count const&) {
    static_assert(Made::known, ESPALIER_SENTENCE(ESPALIER_MEMBERS_KNOWN, ESPALIER_UNLESS(Made::known, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(say_in_words(in_words<Fault>{})) != 0);
  }
  constexpr operator std::int64_t() const {
    static_assert(Made::known, ESPALIER_SENTENCE(ESPALIER_MEMBERS_KNOWN, ESPALIER_UNLESS(Made::known, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(say_in_words(in_words<Fault>{})) != 0);
    return 0;
  }
  template <class X>
  friend constexpr bool operator==(refused_count const&, X const&) {
    static_assert(Made::known, ESPALIER_SENTENCE(ESPALIER_MEMBERS_KNOWN, ESPALIER_UNLESS(Made::known, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(say_in_words(in_words<Fault>{})) != 0);
    return true;
  }
};
}  // namespace detail

/// How many numbers a module learns.
/// errors  a module that does not list all its members does not compile
template <class Net, bool Sound = detail::net_fault<Net>::agree>
inline constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;
template <class Net>
inline constexpr auto const& parameter_count<Net, false> = detail::refused_object<detail::refused_count<Net>>;

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
constexpr tensor_slots const& slots_of_kind(slots const& s) {
  if constexpr (Parameters) return s.parameters;
  else return s.buffers;
}

/// What a running model needs to know of its tensors: exactly as many rows as there are tensors.
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
inline constexpr int tensor_count = slots_of_kind<Parameters>(slots_of<Net>).count;
template <class Net, bool Parameters>
inline constexpr auto rows_of = [] {
  tensor_rows<tensor_count<Net, Parameters>> r{};
  tensor_slots const& s = slots_of_kind<Parameters>(slots_of<Net>);
  for (int i = 0; i < s.count; ++i) r.at[i] = tensor_row{s.offset[i], s.shape[i], s.trainable[i]};
  return r;
}();

/// The paths of a net's tensors, by slot; only a program that asks for names pays for them.
template <int Count, int Length>
struct tensor_names {
  char at[static_cast<std::size_t>(Count) + 1][static_cast<std::size_t>(Length) + 1];
};
template <class Net, bool Parameters>
constexpr int longest_name() {
  int longest = 0;
  char path[longest_path]{};
  visit_tensors<Parameters>(numbered<Net>, path, 0, [&](char const*, int length, auto const&) { longest = length > longest ? length : longest; });
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

/// How each tensor begins, by slot. Named after the instruction set, as kernels are.
template <class Initializer, class T, class Arch>
void fill_tensor(T* data, std::int64_t size, std::uint64_t seed, std::uint32_t number) {
  if constexpr (initializes<Initializer>) nn::init::fill(Initializer::value, espalier::span<T>{data, size}, nn::init::stream{seed, number});
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
    if constexpr (ParameterMember<Member> == Parameters) r.at[member.slot] = &fill_tensor<typename Member::initializer_type, T, Arch>;
  });
  return r;
}();

/// Named relation: what for_each_parameter calls takes a name, extents and a span.
template <class F, class T>
struct takes_tensors {
  static constexpr bool agree = std::is_invocable_v<F&, char const*, extents const&, espalier::span<T>>;
};
#define ESPALIER_TAKES_TENSORS "f takes three arguments: f(char const* name, esp::extents const& shape, esp::span<T> values)"

/// f(name, extents, span) for each tensor at `base`, in the order of declaration; trainable ones only where asked.
template <class Net, bool Parameters, class T, class F>
void for_each_tensor(T* base, bool trainable_only, F&& f) {
  if constexpr (takes_tensors<F, T>::agree)
    for (int i = 0; i < tensor_count<Net, Parameters>; ++i) {
      tensor_row const& row = rows_of<Net, Parameters>.at[i];
      if (row.trainable || !trainable_only)
        f(static_cast<char const*>(names_of<Net, Parameters>.at[i]), row.shape, espalier::span<T>{base + row.offset, row.shape.size()});
    }
}

template <class Net>
struct net_layout {
  static constexpr plan::storage_layout value{slots_of<Net>.parameters.offset, slots_of<Net>.buffers.offset};
};

}  // namespace detail

namespace detail {
/// What output_shape is where layers do not fit: one error, where it is read.
template <class Found>
struct refused_shape {
  using shape_type = Found;
  constexpr refused_shape() = default;
  constexpr refused_shape(refused_shape const&) {
    using Layers = in_facts<Found, refused_shape>;
    static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
    static_assert(sizeof(say_in_words(in_words<Found>{})) != 0);
  }
};
/// No friend: of a friend nvcc would not say what Found is.
template <class Found, class X>
constexpr bool operator==(refused_shape<Found> const&, X const&) {
  using Layers = in_facts<Found, refused_shape<Found>>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(say_in_words(in_words<Found>{})) != 0);
  return true;
}
}  // namespace detail

/// The shape of a module's result for an input of shape S.
/// errors  layers that do not fit each other or S do not compile
template <class Net, class S,
          class Found = detail::applied_net<Net, std::enable_if_t<(sizeof(detail::first_look<Net, S>) > 0), S>>,
          bool Fits = layers_fit<Found>::value>
inline constexpr shape_of<Found> output_shape{};
template <class Net, class S, class Found>
inline constexpr auto const& output_shape<Net, S, Found, false> = detail::refused_object<detail::refused_shape<Found>>;

}  // namespace espalier
#pragma GCC diagnostic pop

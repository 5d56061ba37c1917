// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/element.hpp"
#include "slots.hpp"

/// The paths of a net's tensors ("3.fc1.weight"), and loops over tensors with their paths.
namespace espalier::detail {

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

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

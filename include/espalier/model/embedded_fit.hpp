// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/embedded.hpp"
#include "../base/invalid.hpp"
#include "../base/text.hpp"
#include "../storage/memory.hpp"
#include "tensor_paths.hpp"

/// Checks that a header of weights belongs to a net. The compiler compares names, extents and element types, so that a
/// running program has nothing left to check.
namespace espalier {

/// A tensor's name, as a template argument and as a fact in errors.
template <std::size_t Length>
struct tensor_name {
  char text[Length]{};
  constexpr tensor_name() = default;
  constexpr tensor_name(char const (&name)[Length]) {
    for (std::size_t i = 0; i < Length; ++i) text[i] = name[i];
  }
};

/// Named relations of a net and a header of weights. Each names the first tensor that violates it.
/// The header has every tensor of the net.
template <auto Name, class Expected>
struct tensor_in_header {
  ESPALIER_READS("{} of {} is missing in the header")
  static constexpr bool agree = false;
};
/// The header has no tensor that the net lacks.
template <auto Name, class Found>
struct tensor_in_net {
  ESPALIER_READS("{} of {} is not in the net")
  static constexpr bool agree = false;
};
/// A tensor has the same extents in both.
template <auto Name, class Expected, class Found>
struct same_extents {
  ESPALIER_READS("{} is {} in the net, {} in the header")
  static constexpr bool agree = false;
};
/// The element types are the same.
template <class Expected, class Found>
struct same_elements {
  ESPALIER_READS("{} in the net, {} in the header")
  static constexpr bool agree = false;
};
/// The numbers are laid out as in a model, so that they can be used without a copy.
template <auto Name>
struct numbers_in_place {
  ESPALIER_READS("{} is not as the net stores it")
  static constexpr bool agree = false;
};

#define ESPALIER_HEADER_FITS \
  "the header's weights belong to another net or to an earlier version of this one; write the header again"

namespace detail {

enum class embedded_fault { none, missing, extra, extents };

/// The offsets in a header of a net's tensors, by slot. `fault` is the first disagreement; `at` and `found` are the
/// index of its tensor in the net and in the header.
struct embedded_places {
  std::int64_t parameters[max_slots], buffers[max_slots];
  embedded_fault fault;
  tensor_role role;
  int at, found;
};

template <class Weights>
inline constexpr int embedded_count = static_cast<int>(sizeof(Weights::tensors) / sizeof(embedded_tensor));

constexpr bool same_extents_as(embedded_tensor const& t, extents const& s) {
  for (int i = 0; i < max_rank; ++i)
    if (t.extents[i] != s.at[i]) return false;
  return t.rank == s.rank;
}

/// The index of a tensor in a header; -1 if it has none of that name. The search starts at `begin`.
template <class Weights>
constexpr int find_embedded(tensor_role role, char const* name, int begin) {
  constexpr int count = embedded_count<Weights>;
  for (int i = 0; i < count; ++i) {
    int const k = (begin + i) % count;
    if (Weights::tensors[k].role == role && same_text(Weights::tensors[k].name, name)) return k;
  }
  return -1;
}

template <class Weights, class Net>
inline constexpr embedded_places places_of = [] {
  embedded_places r{};
  bool matched[static_cast<std::size_t>(embedded_count<Weights>)]{};
  int next = 0;
  auto const match_tensors = [&](tensor_role role, int count, auto const& rows, auto const& names,
                                 std::int64_t* places) {
    for (int i = 0; i < count && r.fault == embedded_fault::none; ++i) {
      int const k = find_embedded<Weights>(role, names.at[i], next);
      r.role = role;
      r.at = i;
      r.found = k;
      if (k < 0) {
        r.fault = embedded_fault::missing;
      } else if (!same_extents_as(Weights::tensors[k], rows.at[i].shape)) {
        r.fault = embedded_fault::extents;
      } else {
        matched[k] = true;
        places[i] = Weights::tensors[k].offset;
        next = k + 1;
      }
    }
  };
  match_tensors(tensor_role::parameter, tensor_count<Net, true>, rows_of<Net, true>, names_of<Net, true>, r.parameters);
  match_tensors(tensor_role::buffer, tensor_count<Net, false>, rows_of<Net, false>, names_of<Net, false>, r.buffers);
  for (int k = 0; k < embedded_count<Weights> && r.fault == embedded_fault::none; ++k) {
    if (matched[k]) continue;
    r.fault = embedded_fault::extra;
    r.found = k;
  }
  return r;
}();

/// The offset of a net's buffers among all its numbers; they have the same alignment as the parameters.
template <class Net, class T>
inline constexpr std::int64_t first_buffer_number = [] {
  constexpr std::int64_t of_a_line = static_cast<std::int64_t>(tensor_alignment / sizeof(T));
  return (slots_of<Net>.parameters.storage + of_a_line - 1) / of_a_line * of_a_line;
}();

/// The index of the first tensor whose offset in a header differs from that in a model; -1: none. Buffers are counted
/// after parameters.
template <class Weights, class Net, class T>
inline constexpr int first_misplaced = [] {
  constexpr int parameters = tensor_count<Net, true>;
  for (int i = 0; i < parameters; ++i)
    if (places_of<Weights, Net>.parameters[i] != rows_of<Net, true>.at[i].offset) return i;
  for (int i = 0; i < tensor_count<Net, false>; ++i)
    if (places_of<Weights, Net>.buffers[i] != first_buffer_number<Net, T> + rows_of<Net, false>.at[i].offset)
      return parameters + i;
  return -1;
}();

/// Turns a text into a template argument: Rule::text() returns a constexpr pointer.
template <class Rule>
constexpr auto name_from() {
  constexpr std::size_t length = [] {
    std::size_t n = 0;
    while (Rule::text()[n] != 0) ++n;
    return n + 1;
  }();
  tensor_name<length> r{};
  for (std::size_t i = 0; i < length; ++i) r.text[i] = Rule::text()[i];
  return r;
}
template <class Net, bool Parameters, int Slot>
struct tensor_of_net {
  static constexpr char const* text() { return names_of<Net, Parameters>.at[Slot]; }
  static constexpr extents value = rows_of<Net, Parameters>.at[Slot].shape;
};
template <class Weights, int At>
struct tensor_of_header {
  // auto: nvcc treats a reference of a named type as initialized twice
  static constexpr auto const& tensor = Weights::tensors[At];
  static constexpr char const* text() { return tensor.name; }
  static constexpr extents value = {tensor.rank,
                                    {tensor.extents[0], tensor.extents[1], tensor.extents[2], tensor.extents[3],
                                     tensor.extents[4], tensor.extents[5]}};
};
template <class Rule>
inline constexpr auto name_of_tensor = name_from<Rule>();

/// The first disagreement as a type, or `agreed`.
template <class Weights, class Net, class T, bool InPlace>
constexpr auto find_embedded_fit() {
  if constexpr (!std::is_same_v<typename Weights::value_type, T>) {
    return same_elements<T, typename Weights::value_type>{};
  } else {
    constexpr embedded_places const& p = places_of<Weights, Net>;
    constexpr bool of_parameter = p.role == tensor_role::parameter;
    if constexpr (p.fault == embedded_fault::extra) {
      using Found = tensor_of_header<Weights, p.found>;
      return tensor_in_net<name_of_tensor<Found>, shape_from<Found>>{};
    } else if constexpr (p.fault == embedded_fault::missing) {
      using Expected = tensor_of_net<Net, of_parameter, p.at>;
      return tensor_in_header<name_of_tensor<Expected>, shape_from<Expected>>{};
    } else if constexpr (p.fault == embedded_fault::extents) {
      using Expected = tensor_of_net<Net, of_parameter, p.at>;
      return same_extents<name_of_tensor<Expected>, shape_from<Expected>,
                          shape_from<tensor_of_header<Weights, p.found>>>{};
    } else if constexpr (InPlace && first_misplaced<Weights, Net, T> >= 0) {
      constexpr int parameters = tensor_count<Net, true>, at = first_misplaced<Weights, Net, T>;
      return numbers_in_place<
          name_of_tensor<tensor_of_net<Net, (at < parameters), (at < parameters ? at : at - parameters)>>>{};
    } else {
      return agreed{};
    }
  }
}
template <class Weights, class Net, class T, bool InPlace = false>
using embedded_fit = decltype(find_embedded_fit<Weights, Net, T, InPlace>());

/// Copies a header's numbers into a model's memory.
template <class Weights, class Net, class T>
void copy_embedded(T* parameters, T* buffers) {
  auto const copy = [](int count, auto const& rows, std::int64_t const* places, T* to) {
    for (int i = 0; i < count; ++i)
      __builtin_memcpy(to + rows.at[i].offset, Weights::numbers + places[i],
                       static_cast<std::size_t>(rows.at[i].shape.size()) * sizeof(T));
  };
  copy(tensor_count<Net, true>, rows_of<Net, true>, places_of<Weights, Net>.parameters, parameters);
  copy(tensor_count<Net, false>, rows_of<Net, false>, places_of<Weights, Net>.buffers, buffers);
}

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

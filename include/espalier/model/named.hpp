// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "embedded_fit.hpp"

/// Finds a net's tensors by name at compile time. An unknown name does not compile; the error shows the most similar
/// name.
namespace espalier {

/// The most similar name, as a fact in errors.
template <auto Name>
struct nearest {};

/// Named relations of names and nets: the net has a parameter (a buffer, either) of this name. The number of elements
/// is that of the tensor.
template <auto Name, class... Nearest>
struct names_a_parameter {
  using is_of_a_call = void;
  static constexpr bool agree = false;
};
template <auto Name, class... Nearest>
struct names_a_buffer {
  static constexpr bool agree = false;
};
template <auto Name, class... Nearest>
struct names_a_tensor {
  static constexpr bool agree = false;
};
template <std::int64_t Actual, std::int64_t Expected>
struct element_count {
  static constexpr bool agree = Actual == Expected;
  ESPALIER_READS("got {}, needed {}")
};

namespace detail {

template <class Net, bool Parameters>
constexpr int slot_of_name(char const* name) {
  for (int i = 0; i < tensor_count<Net, Parameters>; ++i)
    if (same_text(names_of<Net, Parameters>.at[i], name)) return i;
  return -1;
}
template <class Net, bool Parameters>
constexpr int nearest_slot(nearest_so_far& search) {
  int nearest = -1;
  for (int i = 0; i < tensor_count<Net, Parameters>; ++i) {
    auto const& name = names_of<Net, Parameters>.at[i];
    // g++ 12 makes the loop without a bound a strlen, and warns with -Os that a single name has no end.
    unsigned long size = 0;
    while (size < sizeof name && name[size] != 0) ++size;
    if (search.update(name, size)) nearest = i;
  }
  return nearest;
}

/// The tensor that has a name.
template <bool Parameters, int Slot>
struct named_slot {
  static constexpr bool agree = true, is_parameter = Parameters;
  static constexpr int value = Slot;
};

/// Finds a name among a net's parameters, its buffers or both. An unknown name yields Relation, with the most similar
/// name if there is one.
template <class Net, tensor_name Name, bool InParameters, bool InBuffers, template <auto, class...> class Relation>
constexpr auto find_name() {
  constexpr int parameter = InParameters ? slot_of_name<Net, true>(Name.text) : -1,
                buffer = InBuffers ? slot_of_name<Net, false>(Name.text) : -1;
  if constexpr (parameter >= 0) {
    return named_slot<true, parameter>{};
  } else if constexpr (buffer >= 0) {
    return named_slot<false, buffer>{};
  } else {
    struct found {
      int parameter = -1, buffer = -1;
    };
    constexpr found similar = [] {
      nearest_so_far search{Name.text, sizeof Name.text - 1};
      found r;
      if constexpr (InParameters) r.parameter = nearest_slot<Net, true>(search);
      if constexpr (InBuffers) r.buffer = nearest_slot<Net, false>(search);
      return r;
    }();
    if constexpr (similar.buffer >= 0)
      return Relation<Name, nearest<name_of_tensor<tensor_of_net<Net, false, similar.buffer>>>>{};
    else if constexpr (similar.parameter >= 0)
      return Relation<Name, nearest<name_of_tensor<tensor_of_net<Net, true, similar.parameter>>>>{};
    else return Relation<Name>{};
  }
}
template <class Net, tensor_name Name>
using parameter_named = decltype(find_name<Net, Name, true, false, names_a_parameter>());
template <class Net, tensor_name Name>
using buffer_named = decltype(find_name<Net, Name, false, true, names_a_buffer>());
template <class Net, tensor_name Name>
using tensor_named = decltype(find_name<Net, Name, true, true, names_a_tensor>());

/// Whether Count numbers fit the tensor that was found. If none was found, another relation reports that.
template <class Net, class Found, std::int64_t Count>
constexpr auto element_count_fault() {
  if constexpr (Found::agree)
    return element_count<Count, rows_of<Net, Found::is_parameter>.at[Found::value].shape.size()>{};
  else return agreed{};
}

/// The same relations in the form that error messages print.
template <auto Name>
struct wrong_name {
  static constexpr bool agree = false;
  ESPALIER_READS("{}")
};
template <auto Name, auto Nearest>
struct wrong_name_near {
  static constexpr bool agree = false;
  ESPALIER_READS("{}, the nearest is {}")
};
template <class Found>
struct name_fact_of {
  using type = agreed;
};
template <template <auto, class...> class Relation, auto Name>
struct name_fact_of<Relation<Name>> {
  using type = wrong_name<Name>;
};
template <template <auto, class...> class Relation, auto Name, auto Nearest>
struct name_fact_of<Relation<Name, nearest<Nearest>>> {
  using type = wrong_name_near<Name, Nearest>;
};
template <class Found>
using name_fact = typename name_fact_of<Found>::type;

}  // namespace detail

#define ESPALIER_HAS_NAME(what) \
  "the net has no " what " of this name" ESPALIER_FACTS_HINT("; nearest<...> is the most similar one that it has")

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "named.hpp"
#include "name_error.hpp"

namespace espalier {

namespace detail {

/// A call of these ends a constant evaluation, because they are not constexpr. Compilers print the name, which
/// describes the mistake. At run time they throw.
template <class Net, bool Parameters>
[[noreturn]] void the_net_has_no_tensor_of_this_name(char const* path) {
  raise_unknown_name<Net, Parameters>(path);
}
[[noreturn]] inline void the_tensor_has_another_number_of_elements(char const* path) {
  raise(name_error{"with", path, "the tensor has another number of elements", nullptr,
                   "pass one number for each element"});
}

}  // namespace detail

/// All parameters of a net, or all its buffers, as one literal value. Each tensor is accessible by its name.
template <class Net, class T, bool Parameters>
class constant_tensors {
  static constexpr std::int64_t storage = detail::tensor_slots_of<Parameters>(slots_of<Net>).storage;
  template <tensor_name Name>
  using named = decltype(detail::find_name<Net, Name, Parameters, !Parameters, names_a_tensor>());

 public:
  /// All elements, contiguous; zeros fill the gaps that align each tensor.
  constexpr span<T> elements() { return {at_, storage}; }
  constexpr span<T const> elements() const { return {at_, storage}; }
  /// The elements of the tensor with that path: get<"3.fc1.weight">().
  /// errors  a name that the net does not have does not compile; the error shows the most similar name
  template <tensor_name Name, class Found = named<Name>>
  constexpr auto get() {
    static_assert(Found::agree,
                  ESPALIER_SENTENCE("get<name>(): " ESPALIER_HAS_NAME("tensor"), detail::name_fact<Found>));
    if constexpr (Found::agree) return at_slot(at_, Found::value);
    else return invalid<Found>{};
  }
  template <tensor_name Name, class Found = named<Name>>
  constexpr auto get() const {
    static_assert(Found::agree,
                  ESPALIER_SENTENCE("get<name>(): " ESPALIER_HAS_NAME("tensor"), detail::name_fact<Found>));
    if constexpr (Found::agree) return at_slot(at_, Found::value);
    else return invalid<Found>{};
  }
  /// The same for a path that is computed.
  /// errors  an unknown name is not a constant expression; at run time it throws name_error
  constexpr span<T> operator[](char const* path) { return find(at_, path); }
  constexpr span<T const> operator[](char const* path) const { return find(at_, path); }

  friend constexpr bool operator==(constant_tensors const& a, constant_tensors const& b) {
    for (std::int64_t i = 0; i < storage; ++i)
      if (a.at_[i] != b.at_[i]) return false;
    return true;
  }

 private:
  template <class Number>
  static constexpr span<Number> at_slot(Number* base, int slot) {
    detail::tensor_row const& row = detail::rows_of<Net, Parameters>.at[slot];
    return {base + row.offset, row.shape.size()};
  }
  template <class Number>
  static constexpr span<Number> find(Number* base, char const* path) {
    int const slot = detail::slot_of_name<Net, Parameters>(path);
    if (slot >= 0) return at_slot(base, slot);
    detail::the_net_has_no_tensor_of_this_name<Net, Parameters>(path);
  }

  T at_[static_cast<std::size_t>(storage) + 1]{};
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

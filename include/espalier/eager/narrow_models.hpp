// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/narrow_program.hpp"
#include "function_argument.hpp"

/// The programs of functions among whose arguments are models with parameters of 16 bits.
namespace espalier::detail {

/// The 16-bit type in which the tensors of an argument are stored while the function computes in float, or void.
template <class Leaf>
struct narrow_type {
  using type = void;
};
template <class Model>
  requires(!std::is_same_v<typename Model::value_type, activation_of<Model>>)
struct narrow_type<model_leaf<Model>> {
  using type = typename Model::value_type;
};
template <class Leaf>
inline constexpr bool is_narrow_argument = !std::is_same_v<typename narrow_type<Leaf>::type, void>;

/// The first such type among the arguments, and whether another one follows.
template <class... Leaf>
struct first_narrow_type {
  using type = void;
  static constexpr bool is_only_one = true;
};
template <class First, class... Leaf>
struct first_narrow_type<First, Leaf...> : first_narrow_type<Leaf...> {};
template <class First, class... Leaf>
  requires(is_narrow_argument<First>)
struct first_narrow_type<First, Leaf...> {
  using type = typename narrow_type<First>::type;
  static constexpr bool is_only_one =
      ((!is_narrow_argument<Leaf> || std::is_same_v<typename narrow_type<Leaf>::type, type>)&&...);
};

/// The parameters and buffers of a function's program that are stored in 16 bits. Differentiated: a bit for each
/// argument whose gradient the program has as results.
template <unsigned Differentiated, class... Leaf>
struct narrow_slots {
  static constexpr bool are_of_one_type = first_narrow_type<Leaf...>::is_only_one;
  static constexpr bool parameter(int slot) {
    return any(slot,
               [](auto a, auto address) {
                 return range{address.parameter, a.parameters};
               }) ||
           any(slot, [](auto a, auto address) {
             return range{address.vector, a.vectors};
           });
  }
  static constexpr bool buffer(int slot) {
    return any(slot, [](auto a, auto address) { return range{address.buffer, a.buffers}; });
  }
  static constexpr bool changed(graph::output const& o) {
    switch (o.where) {
      case graph::destination::buffer:
        return buffer(o.index);
      case graph::destination::parameter:
        return parameter(o.index);
      case graph::destination::gradient:
        return is_differentiated();
      default:
        return false;
    }
  }

 private:
  struct range {
    int first, count;
  };
  static constexpr bool is_differentiated() {
    bool const is_narrow[]{is_narrow_argument<Leaf>..., false};
    for (std::size_t i = 0; i < sizeof...(Leaf); ++i)
      if (is_narrow[i] && (Differentiated >> i & 1u) != 0) return true;
    return false;
  }
  /// Whether a slot is in the range of an argument of 16 bits.
  template <class F>
  static constexpr bool any(int slot, F const& range_of) {
    std::size_t position = 0;
    bool const is_narrow[]{is_narrow_argument<Leaf>..., false};
    bool found = false;
    for_each_leaf<Leaf...>([&]<class A, class Address>(A a, Address address) {
      range const r = range_of(a, address);
      found = found || (is_narrow[position] && slot >= r.first && slot < r.first + r.count);
      ++position;
    });
    return found;
  }
};

template <class Program, unsigned Differentiated, class... Leaf>
constexpr auto find_program_of_models() {
  if constexpr (!(is_narrow_argument<Leaf> || ...)) {
    return std::type_identity<Program>{};
  } else {
    using Stored = typename first_narrow_type<Leaf...>::type;
    return std::type_identity<plan::narrow_program<Program, Stored, narrow_slots<Differentiated, Leaf...>>>{};
  }
}
/// The program of a function with these arguments, as it runs.
template <class Program, unsigned Differentiated, class... Leaf>
using program_of_models = typename decltype(find_program_of_models<Program, Differentiated, Leaf...>())::type;

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

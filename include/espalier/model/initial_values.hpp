// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/vector/vectors.hpp"
#include "slots.hpp"

namespace espalier::detail {

/// Whether the initial values of a net, or of a member, are finite in the element type of the model.
template <class M, class T>
inline constexpr bool initial_values_fit = [] {
  if constexpr (requires { M::initializer_type::value; })
    return nn::init::gives_elements<T>(M::initializer_type::value);
  else if constexpr (requires { typename M::value_type; }) return initial_values_fit<typename M::value_type, T>;
  else return true;
}();
template <class... M, class T>
inline constexpr bool initial_values_fit<nn::detail::types<M...>, T> = (initial_values_fit<M, T> && ...);
template <nn::Module M, class T>
inline constexpr bool initial_values_fit<M, T> = initial_values_fit<nn::detail::member_types<M>, T>;
/// Named relation: the initial values of all members are, or those of the first one that is not.
template <class Member, class T>
struct initial_elements {
  ESPALIER_READS("{} in a model of {}")
  static constexpr bool agree = initial_values_fit<Member, T>;
};
template <class M, class T>
struct first_initial_elements {
  using type = initial_elements<M, T>;
};
template <class First, class... M, class T>
struct first_initial_elements<nn::detail::types<First, M...>, T>
    : std::conditional_t<initial_values_fit<First, T>, first_initial_elements<nn::detail::types<M...>, T>,
                         first_initial_elements<First, T>> {};
template <nn::Module M, class T>
struct first_initial_elements<M, T> : first_initial_elements<nn::detail::member_types<M>, T> {};
template <class M, class T>
  requires(!nn::Module<M> && requires { typename M::value_type; })
struct first_initial_elements<M, T> : first_initial_elements<typename M::value_type, T> {};
template <class Net, class T>
constexpr auto find_initial_fault() {
  if constexpr (!net_fault<Net>::agree) return agreed{};
  else if constexpr (initial_values_fit<Net, T>) return agreed{};
  else return typename first_initial_elements<Net, T>::type{};
}
template <class Net, class T>
using initial_fault = decltype(find_initial_fault<Net, T>());

#define ESPALIER_INITIAL_ELEMENTS \
  "a parameter's or buffer's initializer has numbers beyond the range of the model's element type"

/// Fills a tensor. Arch: translation units for different instruction sets do not share a function, as for kernels.
template <class Initializer, class T, class Arch>
void fill_tensor(T* data, std::int64_t size, std::uint64_t seed, std::uint32_t number) {
  if constexpr (requires { Initializer::value; })
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
  detail::visit_leaves(numbered<Net>, [&]<class Member>(Member const& member) {
    if constexpr (ParameterMember<Member> == Parameters)
      r.at[member.slot] = &fill_tensor<typename Member::initializer_type, T, Arch>;
  });
  return r;
}();

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../device/cpu/vector/vectors.hpp"
#include "slots.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier::detail {

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
  detail::visit_leaves(numbered<Net>, [&]<class Member>(Member const& member) {
    if constexpr (ParameterMember<Member> == Parameters)
      r.at[member.slot] = &fill_tensor<typename Member::initializer_type, T, Arch>;
  });
  return r;
}();

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../model/slots.hpp"
#include "array.hpp"

/// The orders of axes in which other libraries store the tensors of a net.
namespace espalier::io::detail {

/// Calls f(order) with PyTorch's order of axes for each parameter (or buffer) of a module, in the order of declaration.
template <bool Parameters, class M, class F>
void visit_orders(M const& module, F& f) {
  if constexpr (nn::Module<M>) {
    M::visit_members(module, [&]<class Member>(char const* name, Member const& member) {
      if constexpr (espalier::detail::ParameterMember<Member> || espalier::detail::BufferMember<Member>) {
        if constexpr (espalier::detail::ParameterMember<Member> == Parameters)
          f(nn::in_pytorch<M>(name, Member::shape_type::value));
      } else {
        visit_orders<Parameters>(member, f);
      }
    });
  } else if constexpr (espalier::detail::ArrayMember<M>) {
    for (auto const& inner : module) visit_orders<Parameters>(inner, f);
  }
}
/// Calls f(order) for each parameter of a net, then for each buffer.
template <class Net, class F>
void for_each_order(F f) {
  visit_orders<true>(espalier::numbered<Net>, f);
  visit_orders<false>(espalier::numbered<Net>, f);
}

}  // namespace espalier::io::detail
#include "../base/diagnostics_pop.hpp"

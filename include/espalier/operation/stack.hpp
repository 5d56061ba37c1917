// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "concatenate.hpp"
#include "unsqueeze.hpp"

namespace espalier {

/// stack<Axis>(a, b, ...): operands of one shape, stacked along a new axis of the result.
/// shape   S, S, ... -> S with the number of operands at Axis
/// errors  does not compile if the shapes differ, the result has no such axis position, float and double are mixed, or
///         the devices differ
/// saves   nothing; copies as much as concatenate
/// gradient  each operand's part of dy
template <int Axis, Operand... X>
  requires(sizeof...(X) > 0)
constexpr auto stack(X&&... x) {
  using Fault = detail::concatenate_fault_of<stackable, Axis, X...>;
  static_assert(
      holds<stackable, typename Fault::reported_fault>,
      ESPALIER_SENTENCE(
          "stack<axis>(a, b, ...): the operands must have one shape, and the axis must be an axis position of the result",
          typename Fault::reported_fault));
  static_assert(holds<same_element, typename Fault::reported_fault>,
                ESPALIER_SENTENCE("stack<axis>(a, b, ...): " ESPALIER_ELEMENTS_FIT, typename Fault::reported_fault));
  static_assert(holds<same_device, typename Fault::reported_fault>,
                ESPALIER_SENTENCE("stack<axis>(a, b, ...): " ESPALIER_DEVICES_FIT, typename Fault::reported_fault));
  if constexpr (!Fault::type::agree) return typename Fault::type{};
  else return concatenate<Axis>(unsqueeze<Axis>(static_cast<X&&>(x))...);
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "applied_net.hpp"
#include "slots.hpp"

namespace espalier::detail {

/// Connects the tensors and streams of a module to the program that is being traced.
template <class M>
constexpr void attach_tracer(tracing::tracer& t, M& member) {
  if constexpr (ParameterMember<M> || BufferMember<M> || StreamMember<M>) {
    member.tracer = &t;
  } else if constexpr (nn::Module<M>) {
    M::visit_members(member, [&](char const*, auto& inner) { attach_tracer(t, inner); });
  } else if constexpr (ArrayMember<M>) {
    for (auto& inner : member) attach_tracer(t, inner);
  }
}
/// Traces a net on operands of a program: value_of_net returns what its forward returns, trace_net the node of the only
/// result. Parameters of a net object other than this one are faults.
template <class Net, class... X>
constexpr auto value_of_net(tracing::tracer& t, X const&... x) {
  Net net = numbered<Net>;
  attach_tracer(t, net);
  bool streams_used[slots_of<Net>.streams + 1]{};
  int updated[slots_of<Net>.buffers.count + 1]{};
  t.streams_used = streams_used;
  t.updated = updated;
  t.next_stream = slots_of<Net>.streams;
  auto const y = net(x...);
  t.streams_used = nullptr;
  t.updated = nullptr;
  return y;
}
template <class Net, class Batch>
constexpr int trace_net(tracing::tracer& t, int x) {
  return tracing::trace_operand(t, value_of_net<Net>(t, input_of_net<Net, Batch>{&t, x}));
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "structure.hpp"
#include "traced.hpp"

namespace espalier {

namespace tracing {
/// The first node of a block that is traced next, and the result of the block that begins there. Defined in
/// tracing/trace.hpp.
constexpr int begin_block(tracer& t);
constexpr int end_block(tracer& t, int y, int first);
}  // namespace tracing

/// Named relation: a block that is recomputed returns one tensor.
template <class Result>
struct block_returns_a_tensor {
  using is_of_a_call = void;
  ESPALIER_READS("the block returns {}")
  static constexpr bool agree = false;
};

/// checkpoint(block, x...): block(x...), of which the backward pass keeps only x and the result. It recomputes the
/// values inside the block when it gets there. This saves workspace, and costs the block's forward pass once more. A
/// block is a module, a part of a net, or a function of values, such as a lambda in forward.
/// shape     as block(x...)
/// errors    a block that returns several tensors does not compile
/// saves     x, and random numbers that the block uses; of its parameters and buffers nothing beyond themselves
/// gradient  that of block(x...), from the same numbers: a Dropout has the same mask again, and running statistics are
///           updated once
/// source    Chen, Xu, Zhang and Guestrin 2016; torch.utils.checkpoint, jax.checkpoint
template <class Block, class... X>
constexpr auto checkpoint(Block const& block, X&&... x) {
  using Result = decltype(block(static_cast<X&&>(x)...));
  if constexpr (!requires { typename detail::bare<Result>::shape_type; } && !is_invalid<detail::bare<Result>>) {
    return detail::invalid_values<Result>(invalid<block_returns_a_tensor<Result>>{});
  } else {
    tracing::tracer* const t = detail::tracer_of(x...);
    int const first = t != nullptr ? tracing::begin_block(*t) : 0;
    auto const y = block(static_cast<X&&>(x)...);
    using Y = std::remove_const_t<decltype(y)>;
    if constexpr (is_invalid<Y> || !(Traced<X> || ...)) {
      return y;
    } else {
      using Value = std::conditional_t<TracedValue<Y>, Y, detail::traced_result<shape_of<Y>, detail::bare<X>...>>;
      if (t == nullptr) return Value{};
      Value value = detail::as_value<Value>(*t, y);
      value.id = tracing::end_block(*t, value.id, first);
      return value;
    }
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

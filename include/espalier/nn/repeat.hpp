// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <array>

#include "module.hpp"

namespace espalier::nn {

/// Named relation: a block that is repeated gives what it takes.
template <class Given, class Taken>
struct block_keeps_shape {
  ESPALIER_READS("a block gives {}, the next takes {}")
  static constexpr bool agree = std::is_same_v<Given, Taken>;
};

namespace detail {

/// Equal blocks applied one after the other: one type and one instantiation, however many they are.
template <class Blocks, class X>
struct repetition {
  using shape_type = shape_of<X>;
  using is_expression = void;
  using element_type = void;
  static constexpr bool eager = false;
  Blocks const* blocks;  ///< those of the module whose body this is: it outlives the tracing of its body
  X x;

  template <class Tracer, class Scope>
  constexpr int lower_into(Tracer& t, Scope const& in) const {
    int id = lower(t, x, in);
    for (auto const& block : *blocks) id = lower(t, block(argument<shape_type, 0>{}), Scope{{id}});
    return id;
  }
};

}  // namespace detail

/// Count equal blocks one after the other, each with parameters of its own; they are named "0", "1", ... The compiler sees one block.
/// shape   S -> S
/// range   Count >= 0
/// errors  a block whose result has another shape than its input is refused, and both are named
/// saves   what the blocks save
/// slope   that of the blocks in turn
template <int Count, class Block>
struct Repeat {
  static_assert(Count >= 0,
                ESPALIER_SENTENCE("nn::Repeat<Count, Block>: Count must be at least 0",
                                  ESPALIER_STATED((Count >= 0), ESPALIER_NAMED("Count", Count))));
  std::array<Block, static_cast<std::size_t>(Count < 0 ? 0 : Count)> blocks{};

  using is_module = void;
  template <class Self>
  static auto member_types_of(Self&) -> detail::types<Block>;

  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    int position = 0;
    for (auto& block : self.blocks) visit(name_of_position(position++).text, block);
  }
  template <class X>
  constexpr auto operator()(X const& x) const {
    return espalier::detail::record_call(*this, x);
  }
  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_refused<X> || Count == 0) {
      return x;
    } else {
      using Y = decltype(std::declval<Block const&>()(traced<shape_of<X>>{}));
      using Kept = block_keeps_shape<shape_of<Y>, shape_of<X>>;
      if constexpr (is_refused<Y>) return Y{};
      else if constexpr (!Kept::agree) return refused<Kept>{};
      else if constexpr (Traced<X>) {
        traced<shape_of<X>> y{x.tracer, x.id};
        for (auto const& block : blocks) y.id = trace_operand(*x.tracer, block(y));
        return y;
      }
      else return detail::repetition<decltype(blocks), X>{&blocks, x};
    }
  }
};

}  // namespace espalier::nn

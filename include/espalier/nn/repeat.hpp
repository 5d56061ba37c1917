// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <array>

#include "module.hpp"

namespace espalier::nn {

/// Named relation: a repeated block returns the shape of its input.
template <class Output, class Input>
struct block_keeps_shape {
  ESPALIER_READS("a block returns {}, the next expects {}")
  static constexpr bool agree = std::is_same_v<Output, Input>;
};

/// Count equal blocks in sequence, each with its own parameters, named "0", "1", ... The compiler instantiates one
/// block.
/// shape   S -> S
/// range   Count >= 0
/// errors  a block whose result has another shape than its input does not compile; the error names both shapes
/// saves   what the blocks save
/// gradient  that of the blocks in turn
template <int Count, class Block>
struct Repeat {
  static constexpr bool numbers_fit = Count >= 0;
  std::array<Block, static_cast<std::size_t>(Count < 0 ? 0 : Count)> blocks =
      nn::detail::numbers_reported<number_report::report()>{};

  using is_module = void;
  using takes_single_values = void;
  template <class Self>
  static auto member_types_of(Self&) -> detail::types<Block>;

  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    int position = 0;
    for (auto& block : self.blocks) visit(name_of_position(position++).text, block);
  }
  template <class X>
  constexpr auto operator()(X&& x) const {
    if constexpr (espalier::detail::marked_tensor<X>)
      return espalier::detail::apply_module_to_temporary(*this, static_cast<X&&>(x));
    else return espalier::detail::apply_module(*this, x);
  }
  constexpr auto forward(auto x) const {
    using X = decltype(x);
    if constexpr (is_invalid<X> || Count == 0) {
      return x;
    } else if constexpr (!layer_is_module<Block>::agree) {
      return invalid<layer_is_module<Block>>{};
    } else {
      using Y = decltype(std::declval<Block const&>()(x));
      if constexpr (espalier::detail::HoldsInvalid<Y>) {
        return espalier::detail::first_invalid_of<Y>{};
      } else if constexpr (espalier::detail::Structure<Y>) {
        return invalid<layer_returns_one<Block, static_cast<int>(espalier::detail::leaf_count_of<Y>)>>{};
      } else if constexpr (!block_keeps_shape<shape_of<Y>, shape_of<X>>::agree) {
        return invalid<block_keeps_shape<shape_of<Y>, shape_of<X>>>{};
      } else {
        auto y = blocks[0](x);
        for (std::size_t i = 1; i < blocks.size(); ++i) y = blocks[i](y);
        return y;
      }
    }
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(Count >= 0, ESPALIER_SENTENCE("nn::Repeat<Count, Block>: Count must be at least 0",
                                                  ESPALIER_STATED((Count >= 0), ESPALIER_NAMED("Count", Count))));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/checkpoint.hpp"
#include "module.hpp"

namespace espalier::nn {

/// y = block(x). The backward pass recomputes the values inside the block instead of keeping them, as
/// checkpoint(block, x) does.
/// shape     that of the block
/// saves     x, and random numbers that the block uses
/// gradient  that of the block
template <class Block>
struct Checkpoint {
  Block block{};
  ESPALIER_MODULE(Checkpoint, block)

  constexpr auto forward(auto x) const { return checkpoint(block, x); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"

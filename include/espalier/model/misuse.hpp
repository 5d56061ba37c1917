// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/invalid.hpp"
#include "../shape/shape.hpp"
#include "../storage/bytes.hpp"
#include "accepts_every_call.hpp"
#include "net_fault.hpp"

#include "../base/diagnostics_push.hpp"
/// Compile-time errors for arguments of trainer, predictor and frozen that are of the wrong kind.
namespace espalier {

/// A model type: it has a net and an engine.
template <class M>
concept ModelType = requires {
  typename std::remove_cvref_t<M>::net_type;
  typename std::remove_cvref_t<M>::engine_type;
};

/// Named relations: the first argument is a model. A trainer's arguments are a model, a loss, an optimizer and batches.
template <class Argument>
struct is_model {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false;
};
/// Represents a missing batch argument.
struct no_batch {};
template <class... Argument>
struct trainer_arguments {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};

namespace detail {

/// Template argument of a root (trainer, predictor, ...) that has wrong arguments.
template <class Relation>
struct misused {};

template <class X>
inline constexpr bool is_bytes = false;
template <std::size_t Count>
inline constexpr bool is_bytes<bytes<Count>> = true;

}  // namespace detail

#define ESPALIER_FIRST_IS_MODEL \
  "the first argument is not a model; write esp::model<Net> model{esp::seed{0}}, and pass it"
#define ESPALIER_BATCH_IS_SHAPE "a batch is written esp::batch<N, ...>{}: its extents are template arguments"

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

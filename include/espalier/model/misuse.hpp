// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"
#include "../shape/shape.hpp"
#include "../storage/bytes.hpp"
#include "accepts_every_call.hpp"
#include "net_fault.hpp"

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

/// Named relation: a root whose types the program writes out has arguments of these types.
template <class... Written>
struct arguments_fit_types {
  ESPALIER_READS("expected arguments of {...}")
  static constexpr bool agree = false;
};

/// Named relation: a call changes the object's workspace.
template <class Batch>
struct changes_its_workspace {
  ESPALIER_READS("its batch is {}")
  static constexpr bool agree = false;
};

namespace detail {

/// The argument of a constructor that only code that does not compile calls: declared, but not defined.
template <class T>
T& never_called();

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
#define ESPALIER_BATCH_IS_FIXED \
  "a batch of esp::up_to is one of predictors and trainers; write a fixed size here, esp::batch<64, ...>{}"
#define ESPALIER_CALL_IS_CONST(root) \
  root                               \
      "(x, y): the object is const, and a call writes into its workspace; declare it without const, or mutable as a member"
#define ESPALIER_ARGUMENTS_FIT_TYPES(root, arguments)                                               \
  root ": the arguments do not fit the types; write x{" arguments "} of these types, or esp::" root \
       " x{...} without types, which finds them"
/// The same for types that a program writes out.
#define ESPALIER_TYPE_OF_MODEL(type, name) \
  type ": Model is the type of a model, esp::model<Net>; or write " name " x{model, ...}, which finds the types"
#define ESPALIER_TYPE_OF_BATCH(root) \
  root "<Model, Batch>: a batch is written esp::batch<N, ...>: its extents are template arguments"

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

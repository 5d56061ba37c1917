// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/sentence.hpp"
#include "../base/supported.hpp"

#include <type_traits>

/// Constraints on a model that others refer to or change.
namespace espalier::detail {

/// A constraint that errors name: a model that others refer to outlives the expression; a temporary does not.
template <class Model>
struct lives_on {
  static constexpr bool agree = false;
};
/// A constraint that errors name: a model that is trained is not const.
template <class Model>
struct may_change {
  static constexpr bool agree = false;
};

/// A constraint that errors name: a model that is trained is neither a temporary (`lives`) nor const (`changes`).
template <class M>
struct trained_fault {
  static constexpr bool lives = std::is_lvalue_reference_v<M>, changes = !lives, agree = false;
};

template <class M, class Model>
concept TemporaryOf = !std::is_lvalue_reference_v<M> && std::is_same_v<std::remove_cv_t<M>, Model>;
/// A temporary or const model, which cannot be trained.
template <class M, class Model>
concept TemporaryOrConst = std::is_same_v<std::remove_cvref_t<M>, Model> &&
    (!std::is_lvalue_reference_v<M> || std::is_const_v<std::remove_reference_t<M>>);

/// Memory of a temporary model, or of best parameters that are one: one error for all members that refer to it. What
/// they return is that of a variable, so that its use is no further error.
template <class Lives>
struct memory_of_temporary {
  static_assert(Lives::agree,
                ESPALIER_SENTENCE(
                    "x.parameters(), x.parameter(name), x.buffers(), ...: x is a temporary, destroyed at the end of "
                    "this expression; store it in a variable: esp::model<Net> model{seed}",
                    Lives));
  static constexpr auto& in(auto& x) { return x; }
};

}  // namespace espalier::detail

#define ESPALIER_MODEL_IS_TEMPORARY \
  "the model is a temporary, destroyed at the end of this expression; store it in a variable: esp::model<Net> model{seed}"
#define ESPALIER_MODEL_IS_CONST \
  "the model is const, but this call changes it; pass a model that is not const, or model.clone()"
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "evaluation.hpp"
#include "queued.hpp"
#include "range_arguments.hpp"

namespace espalier::detail {

template <class... Argument>
struct step_arguments {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
/// Lets a trainer accept images and targets in memory of the user.
template <class Trainer, class T, class Input, class Batch, class... More>
class trainer_range_arguments {
 public:
  /// The same with images or targets in std::vector, std::array, std::span or arrays, which are read without a copy.
  /// With several batch sizes, the number of elements selects the batch.
  /// errors  another element type does not compile; range_error for another number of elements, before anything is
  ///         changed
  template <class X, class Y, class... Queued>
    requires((!TensorOrView<X> || !TensorOrView<Y>)&&sizeof...(Queued) <= 1 && (std::is_same_v<Queued, queued> && ...))
  auto step(X const& images, Y const& targets, Queued... how) {
    using B = typename deduced_batch<X, Batch, More...>::type;
    constexpr bool chosen = chooses_batch<X, Batch, More...>;
    using Images = argument_fit<X const, Input const, B>;
    using Targets =
        argument_fit<Y const, typename Trainer::target_element const, typename Trainer::template target_of<B>>;
    static_assert(Images::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): images: " ESPALIER_EXPECTED_INPUT, Images));
    using CheckedTargets = behind<Targets, Images>;
    static_assert(
        CheckedTargets::agree,
        ESPALIER_SENTENCE("trainer.step(images, targets): targets: " ESPALIER_EXPECTED_TARGETS, CheckedTargets));
    if constexpr (!Images::agree || !Targets::agree) return computed_in<T>(0);
    else if constexpr (chosen) return step_of_either<More..., Batch>(images, targets, how...);
    else return step_of<B>(images, targets, how...);
  }

  /// Does not compile: images and targets are missing.
  template <class... Argument>
    requires(sizeof...(Argument) < 2)
  computed_in<T> step(Argument const&...) {
    static_assert(step_arguments<Argument...>::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): expected the images of a batch and their targets",
                                    step_arguments<Argument...>));
    return 0;
  }
  /// The same with images or targets in ranges, as in step.
  template <class X, class Y, class... Count>
    requires((!TensorOrView<X> || !TensorOrView<Y>)&&sizeof...(Count) <= 1 && (std::is_integral_v<Count> && ...))
  evaluation evaluate(X const& images, Y const& targets, Count... count) {
    using Images = argument_fit<X const, Input const, Batch>;
    using Targets =
        argument_fit<Y const, typename Trainer::target_element const, typename Trainer::template target_of<Batch>>;
    static_assert(Images::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): images: " ESPALIER_EXPECTED_INPUT, Images));
    static_assert(Targets::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): targets: " ESPALIER_EXPECTED_TARGETS, Targets));
    if constexpr (Images::agree && Targets::agree)
      return self().evaluate(as_tensor_or_view<Input const, Batch>("trainer.evaluate(images, targets): images", images),
                             targets_as_tensor_or_view<Batch>("trainer.evaluate(images, targets): targets", targets),
                             count...);
    else return {};
  }

 private:
  Trainer& self() { return static_cast<Trainer&>(*this); }
  template <class B, class Y>
  static decltype(auto) targets_as_tensor_or_view(char const* where, Y const& targets) {
    return as_tensor_or_view<typename Trainer::target_element const, typename Trainer::template target_of<B>>(where,
                                                                                                              targets);
  }
  template <class B, class X, class Y, class... Queued>
  auto step_of(X const& images, Y const& targets, Queued... how) {
    return self().step(as_tensor_or_view<Input const, B>(
                           sizeof...(More) == 0 ? "trainer.step(images, targets): images"
                                                : "trainer.step(images, targets): images of the first batch",
                           images),
                       targets_as_tensor_or_view<B>("trainer.step(images, targets): targets", targets), how...);
  }
  /// Uses the first of these batches that has as many elements as the images, or the last one.
  template <class B, class... Rest, class X, class Y, class... Queued>
  auto step_of_either(X const& images, Y const& targets, Queued... how) {
    if constexpr (sizeof...(Rest) > 0)
      if (count_of_numbers(images) != B::size) return step_of_either<Rest...>(images, targets, how...);
    return step_of<B>(images, targets, how...);
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

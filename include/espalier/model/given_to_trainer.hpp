// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "evaluation.hpp"
#include "given.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::detail {

template <class... Given>
struct step_is_given {
  ESPALIER_READS("given {...}")
  static constexpr bool agree = false;
};
/// What a trainer does with images and targets in memory of the user.
template <class Trainer, class T, class Batch, class... More>
class given_to_trainer {
 public:
  /// The same with images or targets in memory of your own: std::vector, std::array, std::span and arrays, which are
  /// read where they are. Of several batch sizes the step is of that which has as many elements.
  /// errors  another element type does not compile; range_error for another number of elements; nothing has changed
  ///         then
  template <class X, class Y, class... Queued>
    requires((!StoredAnywhere<X> || !StoredAnywhere<Y>)&&sizeof...(Queued) <= 1 &&
             (std::is_same_v<Queued, queued> && ...))
  auto step(X const& images, Y const& targets, Queued... how) {
    using B = typename batch_given<X, Batch, More...>::type;
    constexpr bool chosen = chooses_batch<X, Batch, More...>;
    using Images = given_fit<X const, T const, B>;
    using Targets = given_fit<Y const, typename Trainer::target_element const, typename Trainer::template target_of<B>>;
    static_assert(Images::agree, ESPALIER_SENTENCE("trainer.step(images, targets): images: " ESPALIER_GIVEN, Images));
    using Wanted = behind<Targets, Images>;
    static_assert(Wanted::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): targets: " ESPALIER_GIVEN_TARGETS, Wanted));
    if constexpr (!Images::agree || !Targets::agree) return computed_in<T>(0);
    else if constexpr (chosen) return step_of_either<More..., Batch>(images, targets, how...);
    else return step_of<B>(images, targets, how...);
  }

  /// Does not compile: images and targets are missing.
  template <class... Given>
    requires(sizeof...(Given) < 2)
  computed_in<T> step(Given const&...) {
    static_assert(step_is_given<Given...>::agree,
                  ESPALIER_SENTENCE("trainer.step(images, targets): give the images of a batch and their targets", step_is_given<Given...>));
    return 0;
  }
  /// The same with images or targets in memory of your own, as in step.
  template <class X, class Y, class... Count>
    requires((!StoredAnywhere<X> || !StoredAnywhere<Y>)&&sizeof...(Count) <= 1 && (std::is_integral_v<Count> && ...))
  evaluation evaluate(X const& images, Y const& targets, Count... count) {
    using Images = given_fit<X const, T const, Batch>;
    using Targets =
        given_fit<Y const, typename Trainer::target_element const, typename Trainer::template target_of<Batch>>;
    static_assert(Images::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): images: " ESPALIER_GIVEN, Images));
    static_assert(Targets::agree,
                  ESPALIER_SENTENCE("trainer.evaluate(images, targets): targets: " ESPALIER_GIVEN_TARGETS, Targets));
    if constexpr (Images::agree && Targets::agree)
      return self().evaluate(as_given<T const, Batch>("trainer.evaluate(images, targets): images", images),
                             targets_as_given<Batch>("trainer.evaluate(images, targets): targets", targets), count...);
    else return {};
  }

 private:
  Trainer& self() { return static_cast<Trainer&>(*this); }
  template <class B, class Y>
  static decltype(auto) targets_as_given(char const* where, Y const& targets) {
    return as_given<typename Trainer::target_element const, typename Trainer::template target_of<B>>(where, targets);
  }
  template <class B, class X, class Y, class... Queued>
  auto step_of(X const& images, Y const& targets, Queued... how) {
    return self().step(
        as_given<T const, B>(sizeof...(More) == 0 ? "trainer.step(images, targets): images"
                                                  : "trainer.step(images, targets): images of the first batch",
                             images),
        targets_as_given<B>("trainer.step(images, targets): targets", targets), how...);
  }
  /// The first of these batches that has as many elements as the images, or the last.
  template <class B, class... Rest, class X, class Y, class... Queued>
  auto step_of_either(X const& images, Y const& targets, Queued... how) {
    if constexpr (sizeof...(Rest) > 0)
      if (count_of_numbers(images) != B::size) return step_of_either<Rest...>(images, targets, how...);
    return step_of<B>(images, targets, how...);
  }
};

}  // namespace espalier::detail
#pragma GCC diagnostic pop

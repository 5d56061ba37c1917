// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cassert>

#include "../base/needs_header.hpp"
#include "../io/error.hpp"
#include "../storage/ended.hpp"
#include "../storage/view.hpp"

namespace espalier::data {

/// size_error: the data does not have the number of samples that a run-time argument requires.
class size_error : public io::error {
 public:
  using error::error;
};
/// value_error: an array in memory has an element that a data set rejects: a label outside the classes, or a number
/// that is not finite.
class value_error : public io::error {
 public:
  using error::error;
};

/// What each sample has as its target: `label`, a class from 0 on; or real targets of a shape<...>.
struct label {};

namespace detail {

template <class T, class Target>
struct targets_of {
  using element = std::int32_t;
  using shape = espalier::shape<>;
};
template <class T, int... S>
struct targets_of<T, espalier::shape<S...>> {
  using element = T;
  using shape = espalier::shape<S...>;
};

/// Throws unless the arrays hold whole samples with one target each.
inline void check_array_sizes(std::int64_t inputs, std::int64_t sample, std::int64_t targets, std::int64_t target) {
  if (inputs % sample != 0 || inputs == 0)
    io::throw_error<size_error>(
        "arrays: expected a multiple of %lld numbers, one sample's size, and at least one sample, got %lld",
        static_cast<long long>(sample), static_cast<long long>(inputs));
  if (targets != inputs / sample * target)
    io::throw_error<size_error>("arrays: expected %lld labels or targets for %lld samples, got %lld",
                                static_cast<long long>(inputs / sample * target),
                                static_cast<long long>(inputs / sample), static_cast<long long>(targets));
}

/// Relation that errors name: if the elements of a range are arrays, each array is one sample (or target) with its
/// extents.
template <class S, class R>
constexpr bool parts_are_samples() {
  using numbers = espalier::detail::row<R const>;
  if constexpr (std::is_void_v<typename numbers::number> || numbers::depth == 0) return true;
  else if constexpr (numbers::depth == 1) return numbers::count == S::size;
  else
    return S::rank == numbers::depth &&
           espalier::detail::inner_counts_agree<S, espalier::detail::part_of<R const>, 0>();
}
template <class S, class R>
struct parts_of_range {
  ESPALIER_READS("a sample is {}, the range {}")
  static constexpr bool agree = parts_are_samples<S, R>();
};
#define ESPALIER_PARTS_OF_RANGE \
  "where the parts of a range are arrays, each must be one sample (or one target) of the data set's shape"

/// Relation that errors name: the targets of a data set are labels, or have a shape.
template <class Target>
struct label_or_shape {
  static constexpr bool agree = std::is_same_v<Target, label> || is_shape<Target>;
};

}  // namespace detail

/// samples<T, Sample, Target>: a view of images (or other inputs) and labels in memory of the user: `count` images of
/// shape Sample, one after the other, and `count` labels. With Target = shape<...>, `count` real targets of that shape.
/// Cheap to copy; must not outlive the data, which builds without NDEBUG check for data sets and tensors.
/// start   from pointers and a count, or from two contiguous ranges of numbers (std::vector, std::array, std::span,
///         arrays), without a copy
/// errors  other element types, temporaries and arrays of another extent do not compile; size_error if the numbers of
///         elements do not match
template <class T, class Sample, class Target>
struct samples {
  static_assert(
      detail::label_or_shape<Target>::agree,
      ESPALIER_SENTENCE("data::samples<T, Sample, Target>: Target is data::label or the shape<...> of real targets",
                        detail::label_or_shape<Target>));
  using target_element = typename detail::targets_of<T, Target>::element;
  using target_shape = typename detail::targets_of<T, Target>::shape;

  T const* images = nullptr;
  target_element const* labels = nullptr;
  std::int64_t count = 0;

  constexpr samples() = default;
  constexpr samples(T const* of_images, target_element const* of_labels, std::int64_t sample_count)
      : samples{of_images, of_labels, sample_count, espalier::detail::borrowed_memory{of_images}} {}
  template <class X, class Y>
    requires(espalier::detail::Range<std::remove_cvref_t<X>>&& espalier::detail::Range<std::remove_cvref_t<Y>>)
  samples(X&& of_images, Y&& of_labels) {
    using Inputs = std::remove_reference_t<X> const;
    using Targets = std::remove_reference_t<Y> const;
    using Numbers = typename espalier::detail::first_fault<espalier::detail::numbers_in_a_row<Inputs>,
                                                           espalier::detail::numbers_in_a_row<Targets>>::type;
    static_assert(Numbers::agree,
                  ESPALIER_SENTENCE("data::samples{inputs, targets}: " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
    if constexpr (Numbers::agree) {
      using Input = espalier::detail::element_is<std::remove_const_t<espalier::detail::number_of<Inputs>>, T>;
      using Output = std::conditional_t<
          Input::agree,
          espalier::detail::element_is<std::remove_const_t<espalier::detail::number_of<Targets>>, target_element>,
          agreed>;
      using Elements = typename espalier::detail::first_fault<Input, Output>::type;
      using Parts = typename espalier::detail::first_fault<detail::parts_of_range<Sample, Inputs>,
                                                           detail::parts_of_range<target_shape, Targets>>::type;
      using Stays = typename espalier::detail::first_fault<espalier::detail::outlives_the_view<X>,
                                                           espalier::detail::outlives_the_view<Y>>::type;
      static_assert(
          Input::agree,
          ESPALIER_SENTENCE(
              "data::samples{inputs, targets}: inputs have another element type; data::dataset{inputs, targets, reading} converts a copy",
              Input));
      static_assert(
          Output::agree,
          ESPALIER_SENTENCE(
              "data::samples{inputs, targets}: labels are std::int32_t, real targets of the inputs' type; data::dataset{inputs, targets, reading} converts a copy",
              Output));
      static_assert(Parts::agree, ESPALIER_SENTENCE("data::samples{inputs, targets}: " ESPALIER_PARTS_OF_RANGE, Parts));
      static_assert(
          Stays::agree,
          ESPALIER_SENTENCE(
              "data::samples{inputs, targets}: a range is a temporary, which is destroyed before the samples; store it in a variable, or copy it with data::dataset",
              Stays));
      if constexpr (Elements::agree && Parts::agree && Stays::agree) {
        std::int64_t const inputs = espalier::detail::count_of_numbers(of_images);
        detail::check_array_sizes(inputs, Sample::size, espalier::detail::count_of_numbers(of_labels),
                                  target_shape::size);
        images = espalier::detail::first_number(of_images);
        labels = espalier::detail::first_number(of_labels);
        count = inputs / Sample::size;
        of_ = espalier::detail::borrowed_memory{images};
      }
    }
  }

  [[nodiscard]] std::int64_t size() const noexcept { return count; }
  [[nodiscard]] view<T const, Sample> image(std::int64_t at) const noexcept {
    check_memory();
    return view<T const, Sample>{images + at * Sample::size};
  }
  [[nodiscard]] std::int32_t label(std::int64_t at) const noexcept requires std::is_same_v<Target, data::label> {
    check_memory();
    return labels[at];
  }
  [[nodiscard]] auto target(std::int64_t at) const noexcept requires is_shape<Target> {
    check_memory();
    return view<T const, Target>{labels + at * Target::size};
  }

  struct parts {
    samples first, rest;
  };
  /// split(n): the first n samples and the rest, in their order.
  /// errors  size_error unless 0 <= n <= size()
  [[nodiscard]] parts split(std::int64_t n) const {
    if (n < 0 || n > count)
      io::throw_error<size_error>("split: expected between 0 and %lld samples in the first part, got %lld",
                                  static_cast<long long>(count), static_cast<long long>(n));
    check_memory();
    return {{images, labels, n, of_}, {images + n * Sample::size, labels + n * target_shape::size, count - n, of_}};
  }
  /// Stops the program in builds without NDEBUG if the data set of these samples was destroyed in this thread.
  constexpr void check_memory() const noexcept {
    assert(!of_.has_ended() &&
           "the data set (or tensor) of these samples, or of this loader, was destroyed; it must outlive them");
  }

 private:
  constexpr samples(T const* of_images, target_element const* of_labels, std::int64_t sample_count,
                    espalier::detail::borrowed_memory of)
      : images{of_images}, labels{of_labels}, count{sample_count}, of_{of} {}

  espalier::detail::borrowed_memory of_;
};

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"

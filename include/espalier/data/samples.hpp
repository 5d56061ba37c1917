// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../io/error.hpp"
#include "../storage/view.hpp"

namespace espalier::data {

/// size_error: a number of samples that a run-time argument asks for and the data does not have.
class size_error : public io::error {
 public:
  using error::error;
};
/// value_error: an element of an array in memory that a data set does not take: a label outside the classes, a number that is not finite.
class value_error : public io::error {
 public:
  using error::error;
};

/// What a data set knows of each sample: `label`, a class from 0 on, or real targets of a shape<...>.
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

/// A fact for a refusal: a data set has labels or targets of a shape.
template <class Target>
struct label_or_shape {
  static constexpr bool agree = std::is_same_v<Target, label> || is_shape<Target>;
};

}  // namespace detail

/// samples<T, Sample, Target>: a run of images (or any inputs) and labels that somebody else owns: count images of shape Sample, one after the other, and
/// count labels; with Target = shape<...>, count real targets of that shape. Cheap to copy; must not outlive what it looks at.
template <class T, class Sample, class Target = label>
struct samples {
  static_assert(detail::label_or_shape<Target>::agree,
                ESPALIER_SENTENCE("data::samples<T, Sample, Target>: Target is data::label or the shape<...> of real targets",
                                  detail::label_or_shape<Target>));
  using target_element = typename detail::targets_of<T, Target>::element;
  using target_shape = typename detail::targets_of<T, Target>::shape;

  T const* images;
  target_element const* labels;
  std::int64_t count;

  [[nodiscard]] std::int64_t size() const noexcept { return count; }
  [[nodiscard]] view<T const, Sample> image(std::int64_t at) const noexcept { return view<T const, Sample>{images + at * Sample::size}; }
  [[nodiscard]] std::int32_t label(std::int64_t at) const noexcept requires std::is_same_v<Target, data::label> { return labels[at]; }
  [[nodiscard]] auto target(std::int64_t at) const noexcept requires is_shape<Target> {
    return view<T const, Target>{labels + at * Target::size};
  }

  struct parts {
    samples first, rest;
  };
  /// split(n): the first n samples, and the rest, in their order.
  /// errors  size_error unless 0 <= n <= size()
  [[nodiscard]] parts split(std::int64_t n) const {
    if (n < 0 || n > count)
      io::refuse<size_error>("split: expected between 0 and %lld samples in the first part, came %lld", static_cast<long long>(count),
                             static_cast<long long>(n));
    return {{images, labels, n}, {images + n * Sample::size, labels + n * target_shape::size, count - n}};
  }
};

}  // namespace espalier::data

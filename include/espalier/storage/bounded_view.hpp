// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/up_to.hpp"
#include "sample_count_error.hpp"
#include "tensor.hpp"

/// Views of batches whose number of samples is a run-time number, and the checks of that number.
namespace espalier {

namespace detail {

/// Throws sample_count_error unless count is 1 to most.
constexpr int checked_samples(char const* where, std::int64_t count, int most) {
  if (count < 1 || count > most) raise(sample_count_error{where, 1, most, count});
  return static_cast<int>(count);
}
/// The number of samples of some elements; throws unless it is a whole number from 1 to most.
constexpr int samples_of(char const* where, std::int64_t elements, std::int64_t elements_of_sample, int most) {
  if (elements % elements_of_sample != 0)
    raise(sample_count_error{where, sample_count_error::part_of_sample{elements, elements_of_sample}});
  return checked_samples(where, elements / elements_of_sample, most);
}

/// A constraint that errors name: the samples of X have the shape that the batch S has.
template <class S, class X>
struct same_samples {
  static constexpr bool agree = true;
};
template <int Count, int... Sample, int Samples, int... Other>
struct same_samples<shape<Count, Sample...>, shape<Samples, Other...>> {
  static constexpr bool agree = std::is_same_v<shape<Sample...>, shape<Other...>>;
};
/// A constraint that errors name: a batch of a fixed number of samples has no more than the largest number.
template <class S, class X>
struct not_more_samples {
  static constexpr bool agree = true;
};
template <int Count, int... Sample, int Samples, int... Other>
struct not_more_samples<shape<Count, Sample...>, shape<Samples, Other...>> {
  static constexpr bool agree = is_up_to(Samples) || Samples <= shape<Count, Sample...>::max_samples;
};

/// The batch that an argument's type names; void for a range.
template <class X>
struct batch_of {
  using type = void;
};
template <TensorOrView X>
struct batch_of<X> {
  using type = shape_of<X>;
};
template <class X>
  requires requires { typename X::batch_type; }
struct batch_of<X> {
  using type = typename X::batch_type;
};
template <class X>
concept BoundedView = requires {
  typename X::batch_type;
};
/// Contiguous elements on the host: tensors, views and ranges.
template <class X>
concept Elements = Range<X> || Stored<X>;

/// The relations of an argument with a batch S of up to N samples, to read (T const) or write (T).
template <class X, class T, class S>
struct bounded_elements_fit {
  using bare = std::remove_cvref_t<X>;
  using range = std::remove_reference_t<X>;
  static constexpr bool has_elements = [] {
    if constexpr (Elements<bare>) return numbers_in_a_row<range>::agree;
    else return false;
  }();
  static constexpr auto find_number() {
    if constexpr (has_elements) return std::type_identity<number_of<range>>{};
    else return std::type_identity<T>{};
  }
  using number = typename decltype(find_number())::type;
  using numbers = std::conditional_t<has_elements, agreed, no_range>;
  using element = behind<element_is<std::remove_const_t<number>, std::remove_const_t<T>>, numbers>;
  using written = behind<may_be_written<number, T>, element>;
  using samples = behind<same_samples<S, typename batch_of<bare>::type>, written>;
  using fewer = behind<not_more_samples<S, typename batch_of<bare>::type>, samples>;
  static constexpr bool agree = numbers::agree && element::agree && written::agree && samples::agree && fewer::agree;
};

}  // namespace detail

/// A view of a batch of up to N samples: view<float const, shape<up_to<64>, 8, 8>>{elements, 17}.
/// owns    nothing, as other views
/// start   from a pointer and the number of samples; from a tensor, view or range of contiguous numbers, which
///         determines it
/// errors  sample_count_error for a number outside 1 to N, or elements that are no whole samples. Another element type,
///         other samples, and a tensor with more samples do not compile
/// cost    a pointer and a number
template <class T, class S>
  requires(is_bounded_batch<S>)
class view<T, S, cpu> {
  static_assert(detail::is_element<std::remove_const_t<T>>,
                ESPALIER_SENTENCE("view<T, S>: T is float, double, half, bfloat16, std::int32_t or bool (const or not)",
                                  ESPALIER_STATED(detail::is_element<std::remove_const_t<T>>, T)));

 public:
  using value_type = std::remove_const_t<T>;
  using element_type = T;
  /// Not shape_type: formulas accept only shapes with a size.
  using batch_type = S;
  using sample_type = typename S::sample;

  static constexpr int max_samples = S::max_samples;

  constexpr view(T* elements, std::int64_t samples)
      : data_{elements}, count_{detail::checked_samples("view(elements, count)", samples, S::max_samples)} {}
  /// A tensor or view of 1 to N samples, or a range of contiguous numbers, which is not a temporary.
  template <class R>
    requires(detail::Elements<std::remove_cvref_t<R>> && !detail::BoundedView<std::remove_cvref_t<R>>)
  constexpr view(R&& range) : data_{nullptr}, count_{1} {
    using Fit = detail::bounded_elements_fit<R, T, S>;
    static_assert(
        Fit::element::agree,
        ESPALIER_SENTENCE("view(range): the range has another element type than the view", typename Fit::element));
    static_assert(Fit::written::agree,
                  ESPALIER_SENTENCE("view(range): the elements of the range are const; write view<T const, S>",
                                    typename Fit::written));
    static_assert(Fit::samples::agree && Fit::fewer::agree,
                  ESPALIER_SENTENCE("view(tensor): the tensor must be 1 to N samples of the view's shape",
                                    typename Fit::samples, typename Fit::fewer));
    using Stays = std::conditional_t<Fit::agree && !TensorOrView<R>, detail::outlives_the_view<R>, agreed>;
    static_assert(
        Stays::agree,
        ESPALIER_SENTENCE(
            "view(range): the range is a temporary, which is destroyed before the view; store it in a variable",
            Stays));
    if constexpr (Fit::agree && Stays::agree) {
      count_ = detail::samples_of("view(range)", detail::count_of_numbers(range), sample_type::size, S::max_samples);
      data_ = detail::first_number(range);
    }
  }
  /// view<T, S> to view<T const, S>.
  template <class U>
    requires(std::is_same_v<U const, T> && !std::is_same_v<U, T>)
  constexpr view(view<U, S> other) : data_{other.data()}, count_{other.samples()} {}
  constexpr view(view const&) = default;

  constexpr T* data() const { return data_; }
  /// The number of samples, 1 to max_samples.
  constexpr int samples() const { return count_; }
  /// The number of elements of these samples.
  constexpr std::int64_t size() const { return count_ * sample_type::size; }
  constexpr T* begin() const { return data_; }
  constexpr T* end() const { return data_ + size(); }
  constexpr T& operator[](std::int64_t flat) const {
    assert(flat >= 0 && flat < size());
    return data_[flat];
  }
  /// Sample number i (asserted to exist).
  constexpr view<T, sample_type> sample(std::int64_t i) const {
    assert(i >= 0 && i < count_);
    return view<T, sample_type>{data_ + i * sample_type::size};
  }

 private:
  T* data_;
  int count_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

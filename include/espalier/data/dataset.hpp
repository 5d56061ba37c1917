// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/math.hpp"
#include "../base/needs_header.hpp"
#include "../io/idx.hpp"
#include "samples.hpp"

ESPALIER_HEADER_INCLUDED(dataset);

namespace espalier::data {

namespace detail {

/// Checks the number of classes that the user set; 0: not limited.
inline int checked_classes(int classes) {
  if (classes < 0)
    io::throw_error<value_error>(
        "reading.classes: expected the number of classes, or 0 for as many as the labels have, got %d", classes);
  return classes;
}
/// Whether a label is one of `classes` classes; classes = 0: not limited.
template <class N>
constexpr bool is_label(N label, int classes) {
  return label >= N(0) && label <= static_cast<N>(2147483647) && (classes == 0 || label < static_cast<N>(classes));
}
/// The range that is_label accepts, as text for errors.
struct label_range_text {
  char text[48];
  explicit label_range_text(int classes) noexcept {
    if (classes == 0) std::snprintf(text, sizeof text, "from 0 to 2147483647");
    else std::snprintf(text, sizeof text, "from 0 to %d", classes - 1);
  }
};

/// Throws unless a pair of files holds images of the compiled shape, as many labels, and only labels of the given
/// classes.
/// Extents of 1 may be added or omitted: a file of 28 x 28 pixels also fits shape<1, 28, 28>.
inline void check_samples(io::idx_array const& images, io::idx_array const& labels, extents sample, int classes) {
  char expected[96] = "";
  int used = 0;
  for (int axis = 0; axis < sample.rank; ++axis)
    used += std::snprintf(expected + used, sizeof expected - static_cast<std::size_t>(used), axis == 0 ? "%d" : " x %d",
                          sample[axis]);
  char actual[128];
  io::detail::print_extents(actual, images, 1);
  int compiled = 0;
  int axis = 1;
  for (;; ++compiled, ++axis) {
    while (compiled < sample.rank && sample[compiled] == 1) ++compiled;
    while (axis < images.rank() && images.extent(axis) == 1) ++axis;
    if (compiled == sample.rank || axis == images.rank() || images.extent(axis) != sample[compiled]) break;
  }
  if (compiled != sample.rank || axis != images.rank())
    io::throw_error<io::format_error>("%s: expected samples of shape %s, for which the program was compiled, got %s",
                                      images.name(), expected, images.rank() == 1 ? "single numbers" : actual);
  if (labels.rank() != 1)
    io::throw_error<io::format_error>("%s: expected labels (rank 1), got rank %d", labels.name(), labels.rank());
  if (labels.extent(0) != images.extent(0))
    io::throw_error<io::format_error>("%s: expected %lld labels, as many as images in %s, got %lld", labels.name(),
                                      static_cast<long long>(images.extent(0)), images.name(),
                                      static_cast<long long>(labels.extent(0)));
  if (images.extent(0) == 0)
    io::throw_error<io::format_error>("%s: expected at least one sample, got none", images.name());
  for (std::int64_t at = 0; at < labels.size(); ++at)
    if (!is_label(static_cast<int>(labels.data()[at]), checked_classes(classes)))
      io::throw_error<io::format_error>("%s: expected labels %s, got %d at position %lld", labels.name(),
                                        label_range_text{classes}.text, labels.data()[at], static_cast<long long>(at));
}

/// What each byte of an image becomes.
/// errors  value_error if one is no finite number
template <class T>
void scale_bytes(reading const& options, T (&scaled)[256]) {
  for (int byte = 0; byte < 256; ++byte) {
    scaled[byte] = static_cast<T>(byte * options.scale + options.shift);
    if (!math::isfinite(static_cast<double>(scaled[byte])))
      io::throw_error<value_error>(
          "reading: expected a scale and a shift that make finite numbers of bytes, got %g and %g", options.scale,
          options.shift);
  }
}

template <class T>
void check_finite(char const* array_name, espalier::span<T const> numbers, std::int64_t of_one) {
  for (std::int64_t i = 0; i < numbers.size(); ++i)
    if (!math::isfinite(static_cast<double>(numbers[i])))
      io::throw_error<value_error>(
          "arrays: expected finite numbers, got %g in the %s of sample %lld (set reading::non_finite to accept it)",
          static_cast<double>(numbers[i]), array_name, static_cast<long long>(i / of_one));
}

}  // namespace detail

/// dataset<T, Sample, Target>: owns images (or other inputs) of shape Sample with their labels or real targets, in
/// memory. A constructed data set is complete and checked.
/// From files: dataset{images, labels, reading}, cifar10(...), table(...). From arrays: dataset{inputs, targets,
/// reading}.
template <class T, class Sample, class Target>
  requires espalier::detail::is_included<espalier::detail::headers::dataset, T>
class dataset<T, Sample, Target> {
 public:
  using value_type = T;
  using sample_shape = Sample;
  using samples_type = samples<T, Sample, Target>;
  using target_element = typename samples_type::target_element;
  static constexpr bool has_labels = std::is_same_v<Target, data::label>;

  /// Converts two arrays of bytes.
  /// errors  io::format_error, with the file's name: images of another shape than the compiled one, different counts,
  ///         no sample, a label outside the classes; value_error for a scale or shift that makes infinities or nan
  dataset(io::idx_array const& images, io::idx_array const& labels, reading options) requires has_labels {
    detail::check_samples(images, labels, Sample::value, options.classes);
    T scaled[256];
    detail::scale_bytes(options, scaled);
    images_ = io::owned<T>{images.size()};
    for (std::int64_t i = 0; i < images.size(); ++i) images_[i] = scaled[images.data()[i]];
    labels_ = io::owned<std::int32_t>{labels.size()};
    for (std::int64_t i = 0; i < labels.size(); ++i) labels_[i] = labels.data()[i];
  }
  /// Reads two files.
  /// errors  as above and as io::read_idx
  dataset(io::file_path images, io::file_path labels, reading options) requires has_labels
      : dataset{io::read_idx(images), io::read_idx(labels), options} {}

  /// Copies arrays in memory: sample after sample, target after target.
  /// errors  size_error if the numbers of elements do not match; value_error for a label outside the classes or a
  ///         number that is not finite
  dataset(espalier::span<T const> inputs, espalier::span<target_element const> targets, reading options) {
    copy(inputs, targets, options);
  }
  /// Copies two contiguous ranges of numbers (std::vector, std::array, std::span, arrays, tensors): sample after
  /// sample, target after target. Numbers of any type are converted to T, as pixels of files are; labels are integers
  /// of any type.
  /// errors  as above; labels with fractions and arrays of another extent do not compile
  template <class X, class Y>
    requires((espalier::detail::Range<X> || Stored<X>)&&(espalier::detail::Range<Y> ||
                                                         Stored<Y>)&&!std::is_convertible_v<X const&, io::file_path>)
  dataset(X const& inputs, Y const& targets, reading options = {}) {
    using Numbers = typename espalier::detail::first_fault<espalier::detail::numbers_in_a_row<X>,
                                                           espalier::detail::numbers_in_a_row<Y>>::type;
    static_assert(Numbers::agree,
                  ESPALIER_SENTENCE("data::dataset{inputs, targets, reading}: " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
    if constexpr (Numbers::agree) {
      using Labels =
          espalier::detail::number_converts<std::remove_const_t<espalier::detail::number_of<Y const>>, target_element>;
      using Parts =
          typename espalier::detail::first_fault<detail::parts_of_range<Sample, X>,
                                                 detail::parts_of_range<typename samples_type::target_shape, Y>>::type;
      static_assert(
          Labels::agree,
          ESPALIER_SENTENCE(
              "data::dataset{inputs, labels, reading}: labels are integers; data::dataset<T, Sample, shape<...>> has real targets",
              Labels));
      static_assert(Parts::agree,
                    ESPALIER_SENTENCE("data::dataset{inputs, targets, reading}: " ESPALIER_PARTS_OF_RANGE, Parts));
      if constexpr (Labels::agree && Parts::agree)
        copy(espalier::span{espalier::detail::first_number(inputs), espalier::detail::count_of_numbers(inputs)},
             espalier::span{espalier::detail::first_number(targets), espalier::detail::count_of_numbers(targets)},
             options);
    }
  }
  /// Takes ownership of arrays that a reader has made and checked: the samples and their targets.
  dataset(io::owned<T>&& inputs, io::owned<target_element>&& targets) {
    detail::check_array_sizes(inputs.size(), Sample::size, targets.size(), samples_type::target_shape::size);
    images_ = static_cast<io::owned<T>&&>(inputs);
    labels_ = static_cast<io::owned<target_element>&&>(targets);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return images_.size() / Sample::size; }
  [[nodiscard]] samples_type all() const& noexcept ESPALIER_BORROWS { return {images_.data(), labels_.data(), size()}; }
  [[nodiscard]] view<T const, Sample> image(std::int64_t at) const& noexcept ESPALIER_BORROWS {
    return all().image(at);
  }
  [[nodiscard]] std::int32_t label(std::int64_t at) const noexcept requires has_labels { return labels_[at]; }
  [[nodiscard]] auto target(std::int64_t at) const& noexcept ESPALIER_BORROWS requires(!has_labels) {
    return all().target(at);
  }
  /// See samples::split. The parts refer to this data set.
  [[nodiscard]] auto split(std::int64_t n) const& ESPALIER_BORROWS { return all().split(n); }
  samples_type all() const&& = delete;
  view<T const, Sample> image(std::int64_t) const&& = delete;
  template <bool Kept = false>
  typename samples_type::parts split(std::int64_t) const&& {
    static_assert(Kept, "split(n): the parts refer to the data set, which is a temporary: store it in a variable");
    return {};
  }

 private:
  template <class X, class Y>
  void copy(espalier::span<X> inputs, espalier::span<Y> targets, reading options) {
    using Input = std::remove_const_t<X>;
    constexpr std::int64_t target_size = samples_type::target_shape::size;
    detail::check_array_sizes(inputs.size(), Sample::size, targets.size(), target_size);
    if constexpr (!std::is_integral_v<Input>)
      if (!options.non_finite) detail::check_finite("inputs", espalier::span<Input const>{inputs}, Sample::size);
    if constexpr (has_labels) {
      int const classes = detail::checked_classes(options.classes);
      for (std::int64_t i = 0; i < targets.size(); ++i)
        if (!detail::is_label(static_cast<std::int64_t>(targets[i]), classes))
          io::throw_error<value_error>("arrays: expected labels %s, got %lld at position %lld",
                                       detail::label_range_text{classes}.text, static_cast<long long>(targets[i]),
                                       static_cast<long long>(i));
    } else if constexpr (!std::is_integral_v<std::remove_const_t<Y>>) {
      if (!options.non_finite)
        detail::check_finite("targets", espalier::span<std::remove_const_t<Y> const>{targets}, target_size);
    }
    images_ = io::owned<T>{inputs.size()};
    for (std::int64_t i = 0; i < inputs.size(); ++i)
      images_[i] = static_cast<T>(static_cast<double>(inputs[i]) * options.scale + options.shift);
    labels_ = io::owned<target_element>{targets.size()};
    for (std::int64_t i = 0; i < targets.size(); ++i) labels_[i] = static_cast<target_element>(targets[i]);
    // Scaling and the conversion to T make numbers beyond its range infinite.
    if (options.non_finite) return;
    detail::check_finite("inputs", espalier::span<T const>{images_.data(), images_.size()}, Sample::size);
    if constexpr (!has_labels)
      detail::check_finite("targets", espalier::span<T const>{labels_.data(), labels_.size()}, target_size);
  }

  io::owned<T> images_;
  io::owned<target_element> labels_;
};

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"

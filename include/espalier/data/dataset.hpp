// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/math.hpp"
#include "../io/idx.hpp"
#include "samples.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::data {

/// How numbers become samples: labels must lie in 0 .. classes-1 (real targets have no classes), a pixel or feature x becomes x * scale + shift.
struct reading {
  int classes = 0;          ///< 0: as many as the largest label says; a trainer compares each label with the classes of its net
  double scale = 1;
  double shift = 0;
  bool non_finite = false;  ///< nan and inf in arrays are taken
};

namespace detail {

/// A number of classes as it was said: 0 where the labels say it.
inline int checked_classes(int classes) {
  if (classes < 0) io::refuse<value_error>("reading.classes: expected the number of classes, or 0 for as many as the labels have, came %d", classes);
  return classes;
}
/// Whether a label is one of some classes; of any, where their number is not said.
template <class N>
constexpr bool is_label(N label, int classes) {
  return label >= N(0) && label <= static_cast<N>(2147483647) && (classes == 0 || label < static_cast<N>(classes));
}
/// What is_label asks for, in words.
struct labels_in_words {
  char text[48];
  explicit labels_in_words(int classes) noexcept {
    if (classes == 0) std::snprintf(text, sizeof text, "from 0 on");
    else std::snprintf(text, sizeof text, "from 0 to %d", classes - 1);
  }
};

/// Refuses a pair of files unless they are count images of the given shape and count labels of the given number of classes.
/// Extents of 1 may be added or left out: a file of 28 x 28 pixels also serves shape<1, 28, 28>.
inline void check_samples(io::idx_array const& images, io::idx_array const& labels, extents sample, int classes) {
  char expected[96] = "";
  int used = 0;
  for (int axis = 0; axis < sample.rank; ++axis)
    used += std::snprintf(expected + used, sizeof expected - static_cast<std::size_t>(used), axis == 0 ? "%d" : " x %d", sample[axis]);
  char came[128];
  io::detail::print_extents(came, images, 1);
  int compiled = 0;
  int axis = 1;
  for (;; ++compiled, ++axis) {
    while (compiled < sample.rank && sample[compiled] == 1) ++compiled;
    while (axis < images.rank() && images.extent(axis) == 1) ++axis;
    if (compiled == sample.rank || axis == images.rank() || images.extent(axis) != sample[compiled]) break;
  }
  if (compiled != sample.rank || axis != images.rank())
    io::refuse<io::format_error>("%s: expected samples of shape %s, for which the program was compiled, came %s", images.name(), expected,
                                 images.rank() == 1 ? "single numbers" : came);
  if (labels.rank() != 1) io::refuse<io::format_error>("%s: expected labels (rank 1), came rank %d", labels.name(), labels.rank());
  if (labels.extent(0) != images.extent(0))
    io::refuse<io::format_error>("%s: expected %lld labels, as many as images in %s, came %lld", labels.name(),
                                 static_cast<long long>(images.extent(0)), images.name(), static_cast<long long>(labels.extent(0)));
  if (images.extent(0) == 0) io::refuse<io::format_error>("%s: expected at least one sample, came none", images.name());
  for (std::int64_t at = 0; at < labels.size(); ++at)
    if (!is_label(static_cast<int>(labels.data()[at]), checked_classes(classes)))
      io::refuse<io::format_error>("%s: expected labels %s, came %d at position %lld", labels.name(), labels_in_words{classes}.text, labels.data()[at],
                                   static_cast<long long>(at));
}

template <class T>
void check_finite(char const* what, espalier::span<T const> numbers, std::int64_t of_one) {
  for (std::int64_t i = 0; i < numbers.size(); ++i)
    if (!math::isfinite(static_cast<double>(numbers[i])))
      io::refuse<value_error>("arrays: expected finite numbers, came %g in the %s of sample %lld (reading::non_finite takes it)",
                              static_cast<double>(numbers[i]), what, static_cast<long long>(i / of_one));
}

}  // namespace detail

/// dataset<T, Sample, Target>: images (or any inputs) of shape Sample and their labels, or real targets, in memory; complete whenever it exists.
/// From files: dataset{images, labels, reading}, cifar10(...), table(...). From arrays: dataset{inputs, targets, reading}.
template <class T, class Sample, class Target = label>
class dataset {
 public:
  using value_type = T;
  using sample_shape = Sample;
  using looks = samples<T, Sample, Target>;
  using target_element = typename looks::target_element;
  static constexpr bool has_labels = std::is_same_v<Target, data::label>;

  /// From two arrays of bytes. errors: io::format_error, with the file's name, where the shape of the images is not the compiled one, the
  /// counts disagree, there is no sample, or a label lies outside the classes.
  dataset(io::idx_array const& images, io::idx_array const& labels, reading how) requires has_labels {
    detail::check_samples(images, labels, Sample::value, how.classes);
    T scaled[256];
    for (int byte = 0; byte < 256; ++byte) scaled[byte] = static_cast<T>(byte * how.scale + how.shift);
    images_ = io::owned<T>{images.size()};
    for (std::int64_t i = 0; i < images.size(); ++i) images_[i] = scaled[images.data()[i]];
    labels_ = io::owned<std::int32_t>{labels.size()};
    for (std::int64_t i = 0; i < labels.size(); ++i) labels_[i] = labels.data()[i];
  }
  /// From two files; errors as above and as io::read_idx.
  dataset(io::file_path images, io::file_path labels, reading how) requires has_labels
      : dataset{io::read_idx(images), io::read_idx(labels), how} {}

  /// A copy of arrays in memory: sample after sample, target after target.
  /// errors  size_error where the numbers of elements do not belong together; value_error for a label outside the classes and for what is not finite
  dataset(espalier::span<T const> inputs, espalier::span<target_element const> targets, reading how) { copy(inputs, targets, how); }
  /// A copy of two ranges whose numbers lie in a row (std::vector, std::array, std::span, arrays, tensors): sample after sample, target after target. Numbers of any
  /// type become T, as pixels of files do; labels are integers of any type.
  /// errors  as above; labels with fractions and arrays of another extent do not compile
  template <class X, class Y>
    requires((espalier::detail::Range<X> || Stored<X>) && (espalier::detail::Range<Y> || Stored<Y>) && !std::is_convertible_v<X const&, io::file_path>)
  dataset(X const& inputs, Y const& targets, reading how = {}) {
    using Numbers = typename espalier::detail::first_fault<espalier::detail::numbers_in_a_row<X>, espalier::detail::numbers_in_a_row<Y>>::type;
    static_assert(Numbers::agree, ESPALIER_SENTENCE("data::dataset{inputs, targets, reading}: " ESPALIER_NUMBERS_IN_A_ROW, Numbers));
    if constexpr (Numbers::agree) {
      using Labels = espalier::detail::number_converts<std::remove_const_t<espalier::detail::number_of<Y const>>, target_element>;
      using Parts = typename espalier::detail::first_fault<detail::parts_of_range<Sample, X>, detail::parts_of_range<typename looks::target_shape, Y>>::type;
      static_assert(Labels::agree,
                    ESPALIER_SENTENCE("data::dataset{inputs, labels, reading}: labels are integers; data::dataset<T, Sample, shape<...>> has real targets", Labels));
      static_assert(Parts::agree, ESPALIER_SENTENCE("data::dataset{inputs, targets, reading}: " ESPALIER_PARTS_OF_RANGE, Parts));
      if constexpr (Labels::agree && Parts::agree)
        copy(espalier::span{espalier::detail::first_number(inputs), espalier::detail::count_of_numbers(inputs)},
             espalier::span{espalier::detail::first_number(targets), espalier::detail::count_of_numbers(targets)}, how);
    }
  }
  /// Takes over what a reader has made and checked: count samples and count targets.
  dataset(io::owned<T>&& inputs, io::owned<target_element>&& targets) {
    detail::check_array_sizes(inputs.size(), Sample::size, targets.size(), looks::target_shape::size);
    images_ = static_cast<io::owned<T>&&>(inputs);
    labels_ = static_cast<io::owned<target_element>&&>(targets);
  }

  [[nodiscard]] std::int64_t size() const noexcept { return images_.size() / Sample::size; }
  [[nodiscard]] looks all() const& noexcept ESPALIER_BORROWS { return {images_.data(), labels_.data(), size()}; }
  [[nodiscard]] view<T const, Sample> image(std::int64_t at) const& noexcept ESPALIER_BORROWS { return all().image(at); }
  [[nodiscard]] std::int32_t label(std::int64_t at) const noexcept requires has_labels { return labels_[at]; }
  [[nodiscard]] auto target(std::int64_t at) const& noexcept ESPALIER_BORROWS requires(!has_labels) { return all().target(at); }
  /// See samples::split. What it gives looks at this data set.
  [[nodiscard]] auto split(std::int64_t n) const& ESPALIER_BORROWS { return all().split(n); }
  looks all() const&& = delete;
  view<T const, Sample> image(std::int64_t) const&& = delete;
  template <bool Kept = false>
  typename looks::parts split(std::int64_t) const&& {
    static_assert(Kept, "split(n): the parts look at the data set, which ends here: give it a name");
    return {};
  }

 private:
  template <class X, class Y>
  void copy(espalier::span<X> inputs, espalier::span<Y> targets, reading how) {
    using Input = std::remove_const_t<X>;
    constexpr std::int64_t target_size = looks::target_shape::size;
    detail::check_array_sizes(inputs.size(), Sample::size, targets.size(), target_size);
    if constexpr (!std::is_integral_v<Input>)
      if (!how.non_finite) detail::check_finite("inputs", espalier::span<Input const>{inputs}, Sample::size);
    if constexpr (has_labels) {
      int const classes = detail::checked_classes(how.classes);
      for (std::int64_t i = 0; i < targets.size(); ++i)
        if (!detail::is_label(static_cast<std::int64_t>(targets[i]), classes))
          io::refuse<value_error>("arrays: expected labels %s, came %lld at position %lld", detail::labels_in_words{classes}.text,
                                  static_cast<long long>(targets[i]), static_cast<long long>(i));
    } else if constexpr (!std::is_integral_v<std::remove_const_t<Y>>) {
      if (!how.non_finite) detail::check_finite("targets", espalier::span<std::remove_const_t<Y> const>{targets}, target_size);
    }
    images_ = io::owned<T>{inputs.size()};
    for (std::int64_t i = 0; i < inputs.size(); ++i) images_[i] = static_cast<T>(static_cast<double>(inputs[i]) * how.scale + how.shift);
    labels_ = io::owned<target_element>{targets.size()};
    for (std::int64_t i = 0; i < targets.size(); ++i) labels_[i] = static_cast<target_element>(targets[i]);
    // A number that T does not hold became infinite.
    if constexpr (sizeof(Input) > sizeof(T) && !std::is_integral_v<Input>)
      if (!how.non_finite) detail::check_finite("inputs", espalier::span<T const>{images_.data(), images_.size()}, Sample::size);
  }

  io::owned<T> images_;
  io::owned<target_element> labels_;
};

}  // namespace espalier::data
#pragma GCC diagnostic pop

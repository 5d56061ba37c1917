// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../io/idx.hpp"
#include "../storage/view.hpp"

namespace espalier::data {

/// size_error: a number of samples that a run-time argument asks for and the data does not have.
class size_error : public io::error {
 public:
  using error::error;
};

/// samples<T, Sample>: a run of images and labels that somebody else owns: count images of shape Sample, one after the other,
/// and count labels. Cheap to copy; must not outlive what it looks at.
template <class T, class Sample>
struct samples {
  T const* images;
  std::int32_t const* labels;
  std::int64_t count;

  [[nodiscard]] std::int64_t size() const noexcept { return count; }
  [[nodiscard]] view<T const, Sample> image(std::int64_t at) const noexcept { return view<T const, Sample>{images + at * Sample::size}; }
  [[nodiscard]] std::int32_t label(std::int64_t at) const noexcept { return labels[at]; }

  struct parts {
    samples first, rest;
  };
  /// split(n): the first n samples, and the rest, in their order.
  /// errors  size_error unless 0 <= n <= size()
  [[nodiscard]] parts split(std::int64_t n) const {
    if (n < 0 || n > count)
      io::refuse<size_error>("split: expected between 0 and %lld samples in the first part, came %lld", static_cast<long long>(count),
                             static_cast<long long>(n));
    return {{images, labels, n}, {images + n * Sample::size, labels + n, count - n}};
  }
};

/// How the bytes of a file become samples: labels must lie in 0 .. classes-1, a pixel becomes byte * scale + shift.
struct reading {
  int classes;
  double scale = 1;
  double shift = 0;
};

namespace detail {

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
    if (labels.data()[at] >= classes)
      io::refuse<io::format_error>("%s: expected labels from 0 to %d, came %d at position %lld", labels.name(), classes - 1,
                                   labels.data()[at], static_cast<long long>(at));
}

}  // namespace detail

/// dataset<T, Sample>: images of shape Sample and their labels, in memory; complete whenever it exists.
template <class T, class Sample>
class dataset {
 public:
  using value_type = T;
  using sample_shape = Sample;

  /// From two arrays of bytes. errors: io::format_error, with the file's name, where the shape of the images is not the compiled one, the
  /// counts disagree, there is no sample, or a label lies outside the classes.
  dataset(io::idx_array const& images, io::idx_array const& labels, reading how) {
    detail::check_samples(images, labels, Sample::value, how.classes);
    T scaled[256];
    for (int byte = 0; byte < 256; ++byte) scaled[byte] = static_cast<T>(byte * how.scale + how.shift);
    images_ = io::owned<T>{images.size()};
    for (std::int64_t i = 0; i < images.size(); ++i) images_[i] = scaled[images.data()[i]];
    labels_ = io::owned<std::int32_t>{labels.size()};
    for (std::int64_t i = 0; i < labels.size(); ++i) labels_[i] = labels.data()[i];
  }
  /// From two files; errors as above and as io::read_idx.
  dataset(char const* images, char const* labels, reading how) : dataset{io::read_idx(images), io::read_idx(labels), how} {}

  [[nodiscard]] std::int64_t size() const noexcept { return labels_.size(); }
  [[nodiscard]] samples<T, Sample> all() const& noexcept ESPALIER_BORROWS { return {images_.data(), labels_.data(), labels_.size()}; }
  [[nodiscard]] view<T const, Sample> image(std::int64_t at) const& noexcept ESPALIER_BORROWS { return all().image(at); }
  [[nodiscard]] std::int32_t label(std::int64_t at) const noexcept { return labels_[at]; }
  /// See samples::split. What it gives looks at this data set.
  [[nodiscard]] auto split(std::int64_t n) const& ESPALIER_BORROWS { return all().split(n); }
  samples<T, Sample> all() const&& = delete;
  view<T const, Sample> image(std::int64_t) const&& = delete;
  template <bool Kept = false>
  typename samples<T, Sample>::parts split(std::int64_t) const&& {
    static_assert(Kept, "split(n): the parts look at the data set, which ends here: give it a name");
    return {};
  }

 private:
  io::owned<T> images_;
  io::owned<std::int32_t> labels_;
};

}  // namespace espalier::data

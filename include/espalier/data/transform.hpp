// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../base/needs_header.hpp"
#include "../base/philox.hpp"
#include "../base/real.hpp"
#include "../storage/view.hpp"

/// Random transforms of samples, for data augmentation: a loader applies them to each image of a batch, reproducibly.
namespace espalier::data {

/// The random numbers of one transform of one sample in one epoch. They depend only on these and the seed, not on the
/// order of the samples, the size of the batches or earlier numbers. The seed is the key of Philox. Word 0 of the
/// counter is the sample and word 1 the epoch. Word 2 counts blocks of random numbers; its upper half is the
/// transform's position in the list. Word 3 is "augm", so that other uses of the seed get other numbers.
class random_generator {
 public:
  constexpr random_generator(std::uint64_t seed, std::int64_t epoch, std::int64_t sample, int transform) noexcept
      : key_{{low(seed), low(seed >> 32)}},
        counter_{{low(static_cast<std::uint64_t>(sample)), low(static_cast<std::uint64_t>(epoch)),
                  static_cast<std::uint32_t>(transform) << 16, 0x6175676du}} {}

  /// 32 random bits.
  constexpr std::uint32_t bits() noexcept {
    if (used_ == 0) block_ = philox(counter_, key_);
    std::uint32_t const word = block_.word[used_];
    used_ = (used_ + 1) % 4;
    if (used_ == 0) ++counter_.word[2];
    return word;
  }
  /// Uniform in [0, 1).
  constexpr double uniform() noexcept { return uniform_from_bits<double>(bits()); }
  /// Uniform in from .. to, both included: the probabilities of two numbers differ by at most 1 / 2^32.
  constexpr int integer(int from, int to) noexcept {
    auto const choices = static_cast<std::uint64_t>(static_cast<std::int64_t>(to) - from + 1);
    return static_cast<int>(from + static_cast<std::int64_t>(bits() * choices >> 32));
  }

 private:
  static constexpr std::uint32_t low(std::uint64_t bits) noexcept {
    return static_cast<std::uint32_t>(bits & 0xffffffffu);
  }
  philox_key key_;
  philox_block counter_;
  philox_block block_{};
  int used_ = 0;
};

/// Named relation: a sample has the axes that a transform requires.
template <class Sample, class Layout>
struct image_axes {
  ESPALIER_READS("a sample is {}, the layout {}")
  static constexpr bool agree = false;
};
template <int H, int W, class Layout>
struct image_axes<shape<H, W>, Layout> {
  static constexpr bool agree = true;
  static constexpr int outer = 1, height = H, width = W, inner = 1;
};
template <int H, int W, int C>
struct image_axes<shape<H, W, C>, hwc> {
  static constexpr bool agree = true;
  static constexpr int outer = 1, height = H, width = W, inner = C;
};
template <int C, int H, int W>
struct image_axes<shape<C, H, W>, chw> {
  static constexpr bool agree = true;
  static constexpr int outer = C, height = H, width = W, inner = 1;
};

/// Named relation: a probability lies between 0 and 1; a padding is not negative.
template <nn::real P>
struct probability {
  static constexpr bool agree = P >= 0 && P <= 1;
};
template <int Padding>
struct padding_of {
  static constexpr bool agree = Padding >= 0;
};

/// Mirrors an image left to right with probability P: if a random number, uniform in [0, 1), is below P.
/// shape   (H, W, C) for hwc, (C, H, W) for chw, (H, W) for both
/// range   P in [0, 1]
/// source  needle's RandomFlipHorizontal
template <class Layout, nn::real P>
struct random_flip_horizontal {
  static_assert(probability<P>::agree,
                ESPALIER_SENTENCE("data::random_flip_horizontal<Layout, P>: P must lie in [0, 1]", probability<P>));
  template <class Sample>
  using fits = image_axes<Sample, Layout>;

  template <class T, class Sample>
  static constexpr void apply(view<T const, Sample> from, view<T, Sample> to, random_generator& random) noexcept {
    flip(from, to, flips(random.uniform()));
  }
  static constexpr bool flips(double number) noexcept { return number < P; }
  template <class T, class Sample>
  static constexpr void flip(view<T const, Sample> from, view<T, Sample> to, bool flipped) noexcept {
    using axes = image_axes<Sample, Layout>;
    T const* x = from.data();
    T* y = to.data();
    for (int row = 0; row < axes::outer * axes::height;
         ++row, x += axes::width * axes::inner, y += axes::width * axes::inner)
      for (int j = 0; j < axes::width; ++j)
        for (int k = 0; k < axes::inner; ++k)
          y[j * axes::inner + k] = x[(flipped ? axes::width - 1 - j : j) * axes::inner + k];
  }
};

/// Pads an image with `Padding` zeros on each side and crops it to its own size at a random offset. This is a shift by
/// up to Padding pixels, first down or up, then right or left; all shifts are equally likely. The zeros are inserted
/// after the data set's scale and shift.
/// shape   as random_flip_horizontal
/// range   Padding >= 0
/// source  needle's RandomCrop
template <class Layout, int Padding>
struct random_crop {
  static_assert(padding_of<Padding>::agree,
                ESPALIER_SENTENCE("data::random_crop<Layout, Padding>: Padding must not be negative",
                                  padding_of<Padding>));
  template <class Sample>
  using fits = image_axes<Sample, Layout>;

  template <class T, class Sample>
  static constexpr void apply(view<T const, Sample> from, view<T, Sample> to, random_generator& random) noexcept {
    int const down = random.integer(-Padding, Padding), right = random.integer(-Padding, Padding);
    crop(from, to, down, right);
  }
  /// y(i, j) = x(i + down, j + right), 0 outside of x.
  template <class T, class Sample>
  static constexpr void crop(view<T const, Sample> from, view<T, Sample> to, int down, int right) noexcept {
    using axes = image_axes<Sample, Layout>;
    constexpr int row = axes::width * axes::inner, plane = axes::height * row;
    for (int plane_at = 0; plane_at < axes::outer; ++plane_at)
      for (int i = 0; i < axes::height; ++i) {
        T const* const x = from.data() + plane_at * plane;
        T* const y = to.data() + plane_at * plane + i * row;
        bool const inside = i + down >= 0 && i + down < axes::height;
        int const first = !inside || right <= -axes::width || right >= axes::width ? row
                          : right < 0                                              ? -right * axes::inner
                                                                                   : 0;
        int const last = first == row ? row : right > 0 ? row - right * axes::inner : row;
        for (int j = 0; j < first; ++j) y[j] = T(0);
        for (int j = first; j < last; ++j) y[j] = x[(i + down) * row + j + right * axes::inner];
        for (int j = last; j < row; ++j) y[j] = T(0);
      }
  }
};

/// A list of transforms that run one after the other, and the seed of their random numbers: the last argument of a
/// loader.
///     data::transforms<data::random_crop<data::chw, 4>, data::random_flip_horizontal<data::chw>>{.seed = 1}
/// Your own transform is a type with
///     template <class T, class Sample>
///     static void apply(view<T const, Sample> from, view<T, Sample> to, random_generator& random);
/// that writes all of `to`, a sample of the same shape. What it throws comes from the loop over the loader's batches.
template <class... Transform>
struct transforms {
  std::uint64_t seed = 0;

  static constexpr int count = static_cast<int>(sizeof...(Transform));

  /// Applies all transforms to one sample. scratch: memory for a second sample, used if there are several transforms.
  template <class T, class Sample>
  void operator()(view<T const, Sample> from, view<T, Sample> to, [[maybe_unused]] view<T, Sample> scratch,
                  std::int64_t epoch, std::int64_t sample) const {
    int at = 0;
    T const* now = from.data();
    [[maybe_unused]] auto const one = [&](auto transform) {
      random_generator random{seed, epoch, sample, at};
      T* const next = (count - 1 - at) % 2 == 0 ? to.data() : scratch.data();
      decltype(transform)::apply(view<T const, Sample>{now}, view<T, Sample>{next}, random);
      now = next;
      ++at;
    };
    (one(Transform{}), ...);
    if constexpr (count == 0)
      for (std::int64_t i = 0; i < Sample::size; ++i) to.data()[i] = now[i];
  }
};

namespace detail {

struct agreed_transform {
  static constexpr bool agree = true;
};
template <class Transform, class Sample>
struct transform_fit {
  using type = agreed_transform;
};
template <class Transform, class Sample>
  requires requires { typename Transform::template fits<Sample>; }
struct transform_fit<Transform, Sample> {
  using type = typename Transform::template fits<Sample>;
};

/// Relation that errors name: the first transform that does not support a sample's shape.
template <class Transforms, class Sample>
struct transforms_fit;
template <class Sample>
struct transforms_fit<transforms<>, Sample> {
  using type = agreed_transform;
};
template <class First, class... Rest, class Sample>
struct transforms_fit<transforms<First, Rest...>, Sample>
    : std::conditional_t<transform_fit<First, Sample>::type::agree, transforms_fit<transforms<Rest...>, Sample>,
                         transform_fit<First, Sample>> {};

}  // namespace detail

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"

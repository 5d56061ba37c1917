// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../expression/mode.hpp"
#include "../operation/compare.hpp"
#include "../operation/multiply.hpp"
#include "../operation/pad.hpp"
#include "../operation/slice.hpp"
#include "../operation/subtract.hpp"
#include "../operation/where.hpp"
#include "augmentation.hpp"

namespace espalier::nn {

namespace detail {

/// A window of x along an axis whose extent is Room larger than the window. `position` is a real number in
/// [0, Room + 1) for each image; the window begins at its integral part. Each step halves the room: it drops elements
/// in front of the window or behind it. So a window costs log2(Room + 1) passes over the images, not one for each
/// place.
template <int Axis, int Room, class X, class Position>
constexpr auto window_at(X const& x, Position const& position) {
  if constexpr (Room == 0) {
    return x;
  } else {
    // The integral part is reached by exact comparisons and differences: no rounding chooses another window.
    constexpr int step = (Room + 1) / 2, rest = Room - step, length = shape_of<X>::value.at[Axis] - step;
    auto const beyond = position >= static_cast<double>(step);
    auto const next = where(beyond, slice<Axis, step, step + length>(x), slice<Axis, 0, length>(x));
    if constexpr (rest == 0) return next;
    else return window_at<Axis, rest>(next, where(beyond, position - static_cast<double>(step), position));
  }
}

}  // namespace detail

/// Training pads each image of a batch with `Padding` zeros on each side and crops it to its own size at a random
/// offset, independently of the others. This is a shift by up to Padding pixels; all shifts are equally likely, to
/// within 2^-24. Evaluation returns x. Each call has its own numbers, new at each step: first those of the rows, then
/// those of the columns.
/// streams  as of Dropout
/// shape   nchw: (N, C, H, W) -> (N, C, H, W); nhwc: (N, H, W, C) -> (N, H, W, C)
/// range   Padding >= 0. In models of 16-bit numbers the probabilities of shifts differ by a few percent
/// errors  another Padding, and other than four axes, do not compile
/// saves   the random numbers
/// gradient  dx = dy, shifted back; 0 for pixels that were cropped
/// source  torchvision.transforms.RandomCrop(size, padding), with an offset for each image
template <int Padding, image_layout Layout = nchw>
struct RandomCrop {
  static constexpr bool numbers_fit = crop_padding<Padding>::agree;
  random_stream stream = nn::detail::numbers_reported<number_report::report()>{};
  ESPALIER_MODULE(RandomCrop, stream)
  using takes_single_values = void;

  constexpr auto forward(auto x) const {
    using X = decltype(x);
    using Fit = images<shape_of<X>>;
    if constexpr (Padding == 0 || is_invalid<X>) return x;
    else if constexpr (!Fit::agree) return invalid<Fit>{};
    else
      return by_mode(
          x, [&] { return cropped(x); }, [&] { return x; });
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(crop_padding<Padding>::agree,
                    ESPALIER_SENTENCE("nn::RandomCrop<Padding>: Padding must not be negative", crop_padding<Padding>));
      return true;
    }
  };

 private:
  static constexpr int room = 2 * Padding;
  constexpr auto cropped(auto x) const {
    using numbers = detail::number_of_each_image<shape_of<decltype(x)>>;
    auto const down = random_uniform<numbers>{stream} * static_cast<double>(room + 1);
    auto const right = random_uniform<numbers>{stream} * static_cast<double>(room + 1);
    if constexpr (Layout == nchw)
      return detail::window_at<3, room>(
          detail::window_at<2, room>(pad<0, 0, 0, 0, Padding, Padding, Padding, Padding>(x), down), right);
    else
      return detail::window_at<2, room>(
          detail::window_at<1, room>(pad<0, 0, Padding, Padding, Padding, Padding, 0, 0>(x), down), right);
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"

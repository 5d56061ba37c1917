// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "index_map.hpp"

/// The direct method for convolutions computes the sums of windows over all taps at once, or one product for each tap
/// of the kernels. Products by taps multiply nothing by the padding of images, which small images have much of, and
/// read each kernel once.
namespace espalier {

namespace detail {

/// Results of one image beyond which the sums for a panel of outputs leave the L2 cache. Larger images have little
/// padding.
inline constexpr std::int64_t most_pixels_by_taps = 512;
inline constexpr int most_taps_of_axis = 16;
/// The cost of turning kernels that a cache near a core holds. Others cost up to three times as much.
inline constexpr double turning_kernels = 20;

/// Along axis `axis` of an image: how many of all pairs of a window and a tap read a pixel.
constexpr std::int64_t pairs_inside(extents const& image, extents const& w, index_map const& m, int axis) {
  std::int64_t count = 0;
  for (int i = 0; i < w.at[axis]; ++i)
    for (int r = 0; r < w.at[axis + 2]; ++r) {
      int const at = m.start[axis] + i * m.step[axis] + r * m.step[axis + 2];
      count += at >= 0 && at % m.divisor[axis] == 0 && at / m.divisor[axis] < image.at[axis];
    }
  return count;
}

}  // namespace detail

/// The costs of the direct method in both ways. The unit is one window times all kernels; packing kernels takes as long
/// as multiplying four windows, or none if that happens while the first windows are multiplied.
struct direct_costs {
  double by_windows, by_taps;  ///< 0: not by taps
  double inside, all;          ///< windows whose tap reads a pixel, mean over the taps, and all windows
  /// By taps must be faster by 3 %: its sums are loaded and stored once for each tap.
  constexpr bool prefers_taps() const { return by_taps > 0 && by_taps < .97 * by_windows; }
  /// For the gradient of the kernels, both ways load and store the sums about as often.
  constexpr bool prefers_taps_for_kernels() const { return by_taps > 0 && inside < .95 * all; }
  /// The sums of a gradient of the kernels are shorter.
  constexpr double least_for_kernels() const { return prefers_taps_for_kernels() ? 1.15 * inside + 10 : all + 4; }
  constexpr double least() const { return prefers_taps() ? by_taps : by_windows; }
};
/// image: (images, height, width, channels). w: the windows. images: those that are multiplied by the same kernels.
/// turned: the kernels are turned before (graph::turned_kernels), or as they are packed if the product is by taps.
constexpr direct_costs costs_of_direct(extents const& image, extents const& w, index_map const& m, std::int64_t images,
                                       int outputs, bool turned = false) {
  std::int64_t const pixels = std::int64_t{w.at[1]} * w.at[2];
  int const taps = w.at[3] * w.at[4], channels = w.at[5];
  double const all = static_cast<double>(images * pixels);
  direct_costs costs{all + (turned ? 4 + detail::turning_kernels : 4), 0, all, all};
  if (pixels > detail::most_pixels_by_taps || w.at[3] > detail::most_taps_of_axis ||
      w.at[4] > detail::most_taps_of_axis || channels < 16 || outputs < 32)
    return costs;
  costs.inside =
      static_cast<double>(images * detail::pairs_inside(image, w, m, 1) * detail::pairs_inside(image, w, m, 2)) / taps;
  costs.by_taps = costs.inside * (1 + 3. / channels) + (turned ? 6 : 1) * (1 + all / detail::most_pixels_by_taps);
  return costs;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

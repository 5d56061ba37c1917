// SPDX-License-Identifier: BSL-1.0
// Sums of windows times a factor for each tap or position, against sums over windows that are written out.
#define BOOST_TEST_MODULE device_cuda_kernel_tap_sums
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/kernel/tap_sums.hpp>
#include <espalier/device/cuda/simulator/simulated_backend.hpp>

#include "maps.hpp"
#include "support/window_values.hpp"

using namespace launched;
using espalier::convolution;
using espalier::shape;
using maps::windows;
using maps::windows_of_gradient;
using test::written_out;

namespace {

/// Over: whether sums run over the positions. Otherwise they run over the taps.
template <class T, class Image, class Move, bool OverPositions>
void summed(char const* name) {
  using Window = espalier::shape_from<extents_of<Move>>;
  using Map = typename map_of<Move>::type;
  constexpr extents w = Move::value.shape;
  constexpr int64_t positions = w.product(0, 3), taps = w.product(3, 5), C = w.at[5];
  constexpr int64_t results = (OverPositions ? taps : positions) * C, terms = OverPositions ? positions : taps;
  auto const x = random_numbers<T>(Image::size, 1), factor = random_numbers<T>(terms * C, 2);
  auto const all = written_out<double, Image, Move>(x);
  std::vector<double> sum(static_cast<size_t>(results)), size(sum.size());
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t c = 0; c < C; ++c) {
        double const term = all[static_cast<size_t>((p * taps + t) * C + c)] *
                            static_cast<double>(factor[static_cast<size_t>((OverPositions ? p : t) * C + c)]);
        auto const at = static_cast<size_t>((OverPositions ? t : p) * C + c);
        sum[at] += term, size[at] += std::fabs(term);
      }
  using kernel = std::conditional_t<OverPositions, on_cuda::position_sums<T, Image, Window, Map>,
                                    on_cuda::tap_sums<T, Image, Window, Map>>;
  double const error = off(result<kernel, T>(results, x, factor), sum, size);
  BOOST_TEST(error <= 8, name << (OverPositions ? ", over positions: " : ", over taps: ") << error);
}
template <class T, class Image, int Rows, int Columns, convolution Options>
void convolved(char const* name) {
  summed<T, Image, windows<Image, Rows, Columns, Options>, false>(name);
  summed<T, Image, windows<Image, Rows, Columns, Options>, true>(name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(sums_of_windows) {
  convolved<float, shape<2, 5, 7, 16>, 3, 3, convolution{.padding = 1}>("16 channels");
  convolved<float, shape<2, 5, 7, 3>, 3, 3, convolution{.stride = 2, .padding = 1}>("every second");
  convolved<float, shape<1, 9, 11, 72>, 3, 3, convolution{.padding = 1}>("72 channels");
  convolved<half, shape<2, 5, 6, 24>, 3, 3, convolution{.padding = 1}>("16 bits");
  convolved<double, shape<2, 9, 14, 5>, 2, 3,
            convolution{.stride = {2, 3}, .padding = {2, 0, 2, 1}, .dilation = {3, 2}}>("everything set");
  convolved<double, shape<1, 2, 3, 4>, 3, 3, convolution{.padding = 6}>("windows outside the image");
}
BOOST_AUTO_TEST_CASE(gradients_of_the_images) {
  using gradient = shape<2, 3, 4, 8>;
  summed<float, gradient, windows_of_gradient<gradient, 6, 8, 3, 3, convolution{.stride = 2, .padding = 1}>, false>(
      "every second");
  summed<double, gradient, windows_of_gradient<gradient, 6, 8, 3, 2, convolution{.stride = {2, 3}, .padding = 1}>,
         false>("other steps");
}

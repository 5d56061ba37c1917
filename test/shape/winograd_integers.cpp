// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_winograd_integers
#include <boost/test/unit_test.hpp>

#include <espalier/shape/winograd_integers.hpp>

namespace esp = espalier;
using esp::winograd_tile;

namespace {

/// A sum over places of results kernels inputs is L where a result reads the input by the tap, else 0.
template <int M, int K>
constexpr int wrong_sums() {
  constexpr auto const& m = esp::detail::winograd_integers_of<M, K>;
  int wrong = 0;
  for (int y = 0; y < M; ++y)
    for (int tap = 0; tap < K; ++tap)
      for (int x = 0; x < M + K - 1; ++x) {
        int sum = 0;
        for (int j = 0; j < M + K - 1; ++j) sum += m.results[y][j] * m.kernels[j][tap] * m.inputs[j][x];
        wrong += sum != (x == y + tap ? m.multiple : 0);
      }
  return wrong;
}
static_assert(wrong_sums<1, 1>() == 0 && wrong_sums<2, 3>() == 0 && wrong_sums<3, 3>() == 0 && wrong_sums<4, 3>() == 0);
static_assert(wrong_sums<2, 5>() == 0 && wrong_sums<1, 3>() == 0);

}  // namespace

BOOST_AUTO_TEST_CASE(multiples_are_small) {
  BOOST_TEST((esp::detail::winograd_integers_of<2, 3>.multiple) == 2);
  BOOST_TEST((esp::detail::winograd_integers_of<3, 3>.multiple) == 6);
  BOOST_TEST((esp::detail::winograd_integers_of<4, 3>.multiple) == 24);
}

/// Sums wrap around, and the inverse and the shift undo it.
BOOST_AUTO_TEST_CASE(the_scale_undoes_the_multiples) {
  constexpr auto scale = esp::winograd_scale_of<winograd_tile{4, 4, 3, 3}>();
  BOOST_TEST(scale.shift == 6);
  BOOST_TEST(scale.most_channels == 114);
  for (std::int32_t sum : {0, 1, -1, 12345, 114 * 9 * 255 * 128, -114 * 9 * 255 * 128}) {
    auto const scaled = static_cast<std::uint32_t>(sum) * 576u * scale.inverse;
    BOOST_TEST((static_cast<std::int32_t>(scaled) >> scale.shift) == sum);
  }
  BOOST_TEST((esp::winograd_scale_of<winograd_tile{2, 2, 3, 3}>().inverse) == 1u);
}

BOOST_AUTO_TEST_CASE(tiles_of_three_taps_fit_into_16_bits) {
  BOOST_TEST((esp::fits_integers<winograd_tile{4, 4, 3, 3}>()));
  BOOST_TEST((esp::fits_integers<winograd_tile{1, 4, 1, 3}>()));
  BOOST_TEST((!esp::fits_integers<winograd_tile{2, 2, 5, 5}>()));
  BOOST_TEST((!esp::fits_integers<winograd_tile{6, 6, 3, 3}>()));
}

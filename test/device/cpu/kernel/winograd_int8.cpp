// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_kernel_winograd_int8
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/device/cpu/kernel/winograd_int8.hpp>

#include "support/int8_sums.hpp"

namespace esp = espalier;
using test::keep_sums;
namespace on_cpu = espalier::on_cpu;

namespace {

using arch = on_cpu::default_arch;
using types = on_cpu::detail::int8_types<arch>;
using element = types::element;

test::random_integers random_between{6};

/// Padded images, which hold whole tiles.
template <esp::winograd_tile Tile, esp::convolution_sizes Sizes>
struct padded {
  static constexpr int height = (Sizes.rows + Tile.rows - 1) / Tile.rows * Tile.rows + Tile.kernel_rows - 1,
                       width =
                           (Sizes.columns + Tile.columns - 1) / Tile.columns * Tile.columns + Tile.kernel_columns - 1;
  static constexpr std::int64_t row_stride = std::int64_t{width} * Sizes.channels, image_size = height * row_stride;
};

/// Activations and weights of a range, so that the extremes are all of them.
struct range {
  int low_a, high_a, low_b, high_b;
};
constexpr range ranges[] = {{0, 255, -128, 127}, {255, 255, -128, -128}, {255, 255, 127, 127}, {0, 0, -128, 127}};

/// Images, rows, columns, channels and outputs by a tile: the sums are those of loops of integers.
template <int Images, int Rows, int Columns, int Channels, int Outputs, int TileRows = 4, int TileColumns = 4,
          int KernelRows = 3, int KernelColumns = 3>
void check() {
  constexpr esp::winograd_tile tile{TileRows, TileColumns, KernelRows, KernelColumns};
  constexpr esp::convolution_sizes sizes{Images, Rows, Columns, Channels, Outputs};
  using image = padded<tile, sizes>;
  using product = on_cpu::winograd_int8<arch, tile, sizes, image>;
  constexpr auto count = std::size_t{Images} * Rows * Columns, outputs = std::size_t{Outputs};
  for (range const& r : ranges) {
    std::vector<element> a(static_cast<std::size_t>(Images * image::image_size + 64));
    for (element& x : a) x = static_cast<element>(random_between(r.low_a, r.high_a) - types::offset);
    std::vector<int> b(std::size_t{KernelRows} * KernelColumns * Channels * Outputs);
    for (int& x : b) x = random_between(r.low_b, r.high_b);
    std::vector<typename product::weight> packed(static_cast<std::size_t>(product::packed_size));
    product::pack(packed.data(),
                  [&](std::int64_t term, std::int64_t j) { return b[static_cast<std::size_t>(term * Outputs + j)]; });
    std::vector<std::int32_t> start(static_cast<std::size_t>(product::columns)), y(count * outputs, 12345);
    for (int& x : start) x = random_between(-1000000, 1000000);
    struct alignas(64) line {
      char bytes[64];
    };
    std::vector<line> own(static_cast<std::size_t>(product::workspace) / sizeof(line));
    product::run(a.data(), packed.data(), start.data(), keep_sums{y.data(), Outputs}, own.data());
    int wrong = 0;
    for (int n = 0; n < Images; ++n)
      for (int row = 0; row < Rows; ++row)
        for (int column = 0; column < Columns; ++column)
          for (int j = 0; j < Outputs; ++j) {
            std::int64_t sum = start[static_cast<std::size_t>(j)];
            for (int u = 0; u < KernelRows; ++u)
              for (int v = 0; v < KernelColumns; ++v)
                for (int c = 0; c < Channels; ++c)
                  sum += std::int64_t{a[static_cast<std::size_t>(n * image::image_size + (row + u) * image::row_stride +
                                                                 (column + v) * Channels + c)]} *
                         b[static_cast<std::size_t>(((u * KernelColumns + v) * Channels + c) * Outputs + j)];
            wrong += sum != y[static_cast<std::size_t>(((n * Rows + row) * Columns + column) * Outputs + j)];
          }
    BOOST_TEST(wrong == 0, Images << " x " << Rows << " x " << Columns << ", channels " << Channels << ", outputs "
                                  << Outputs << ", tile " << TileRows << " x " << TileColumns << ": " << wrong
                                  << " sums differ");
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(tiles_of_integers_have_the_sums_of_a_loop) {
  check<1, 28, 28, 16, 32>();
  check<2, 14, 14, 32, 64>();
  check<1, 7, 5, 9, 20>();  // an odd number of channels, no whole tiles
  check<1, 1, 1, 1, 1>();
  check<1, 9, 9, 40, 33, 2, 4>();
  check<3, 6, 6, 8, 16, 3, 3>();
}

/// Sums of 114 channels fit into the bits that are left; more channels are pieces of as many.
BOOST_AUTO_TEST_CASE(many_channels_are_pieces_whose_sums_are_exact) {
  static_assert(esp::winograd_scale_of<esp::winograd_tile{4, 4, 3, 3}>().most_channels == 114);
  check<1, 8, 8, 114, 16>();
  check<1, 8, 8, 115, 16>();
  check<1, 5, 4, 400, 5>();
}

BOOST_AUTO_TEST_CASE(a_kernel_of_one_row_or_column_has_tiles_of_one_axis) {
  check<2, 1, 30, 12, 24, 1, 4, 1, 3>();
  check<1, 11, 3, 6, 8, 4, 1, 3, 1>();
}

/// Few channels and few results are not worth the transforms, and scalars never.
BOOST_AUTO_TEST_CASE(tiles_are_chosen_where_they_are_faster) {
  constexpr auto chosen = on_cpu::detail::int8_tile<arch, 3, 3>({1, 56, 56, 64, 64});
  static_assert((chosen.rows > 0) == (on_cpu::detail::int16_types<arch>::lanes > 1));
  static_assert(on_cpu::detail::int8_tile<arch, 3, 3>({1, 28, 28, 1, 16}).rows == 0);
  static_assert(on_cpu::detail::int8_tile<arch, 1, 1>({1, 28, 28, 64, 64}).rows == 0);
  static_assert(on_cpu::detail::int8_tile<arch, 5, 5>({1, 28, 28, 64, 64}).rows == 0);
  BOOST_TEST(chosen.rows >= 0);
}

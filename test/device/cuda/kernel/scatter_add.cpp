// SPDX-License-Identifier: BSL-1.0
// The adjoint of movement: every sum against the map itself, and against the CPU's kernel.
#define BOOST_TEST_MODULE device_cuda_kernel_scatter_add
#include <boost/test/unit_test.hpp>

#include <espalier/device/cpu/kernel/scatter_add.hpp>
#include <espalier/device/cuda/kernel/scatter_add.hpp>

#include "maps.hpp"

using namespace launched;

namespace {

struct check {
  template <class T, class Image, class Move>
  static void run(char const* name) {
    using Result = espalier::shape_from<extents_of<Move>>;
    using Map = typename map_of<Move>::type;
    auto const dy = random_numbers<T>(Result::size, 2);
    std::vector<double> sum(static_cast<size_t>(Image::size)), magnitude(sum.size());
    for (int64_t i = 0; i < Result::size; ++i) {
      int64_t const from = espalier::moved_offset(Move::value.map, Image::value, Result::value, i);
      if (from < 0) continue;
      sum[static_cast<size_t>(from)] += static_cast<double>(dy[static_cast<size_t>(i)]);
      magnitude[static_cast<size_t>(from)] += std::fabs(static_cast<double>(dy[static_cast<size_t>(i)]));
    }
    auto const dx = result<on_cuda::scatter_add_kernel<T, Result, Image, Map>, T>(Image::size, dy);
    double const error = off(dx, sum, magnitude);
    BOOST_TEST(error <= 4, name << ", " << sizeof(T) << " bytes: " << error);
    if constexpr (std::is_same_v<T, float>) {
      std::vector<T> y(dx.size());
      espalier::on_cpu::scatter_add_kernel<T, Result, Image, Map, espalier::on_cpu::default_arch>::run(
          dy.data(), nullptr, y.data());
      double const difference = off(dx, {y.begin(), y.end()}, magnitude);
      BOOST_TEST(difference <= 8, name << ", from the CPU's: " << difference);
    }
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(slices) { maps::slices<check>(); }
BOOST_AUTO_TEST_CASE(paddings) { maps::paddings<check>(); }
BOOST_AUTO_TEST_CASE(flips_and_dilations) { maps::flips_and_dilations<check>(); }
BOOST_AUTO_TEST_CASE(several_walk_along_one) { maps::several_walk_along_one<check>(); }
BOOST_AUTO_TEST_CASE(windows_of_images) { maps::windows_of_images<check>(); }

// SPDX-License-Identifier: BSL-1.0
// Movement: every element against the map itself, and against the CPU's kernel.
#define BOOST_TEST_MODULE device_cuda_kernel_move
#include <boost/test/unit_test.hpp>

#include <limits>

#include <espalier/device/cpu/kernel/concatenate.hpp>
#include <espalier/device/cpu/kernel/move.hpp>
#include <espalier/device/cuda/kernel/concatenate.hpp>
#include <espalier/device/cuda/kernel/move.hpp>

#include "maps.hpp"

using namespace launched;
using espalier::shape;

namespace {

struct check {
  template <class T, class Image, class Move>
  static void run(char const* name) {
    using Result = espalier::shape_from<extents_of<Move>>;
    using Map = typename map_of<Move>::type;
    auto const x = random_numbers<T>(Image::size, 1);
    std::vector<T> expected;
    for (int64_t i = 0; i < Result::size; ++i) {
      int64_t const from = espalier::moved_offset(Move::value.map, Image::value, Result::value, i);
      expected.push_back(
          from >= 0
              ? x[static_cast<size_t>(from)]
              : static_cast<T>(Move::value.map.fills_with_lowest ? -std::numeric_limits<double>::infinity() : 0.0));
    }
    auto const y = result<on_cuda::move_kernel<T, Image, Result, Map>, T>(Result::size, x);
    BOOST_TEST(same(y, expected), name << ", " << sizeof(T) << " bytes");
    if constexpr (std::is_same_v<T, float>) {
      std::vector<T> on_processor(y.size());
      espalier::on_cpu::move_kernel<T, Image, Result, Map, espalier::on_cpu::default_arch>::run(x.data(), nullptr,
                                                                                                on_processor.data());
      BOOST_TEST(same(y, on_processor), name << ", as on the CPU");
    }
  }
};

template <class T, class A, class B, int Axis>
void concatenated(char const* name) {
  auto const a = random_numbers<T>(A::size, 1), b = random_numbers<T>(B::size, 2);
  int64_t const first = A::value.product(Axis, A::rank), second = B::value.product(Axis, B::rank);
  std::vector<T> expected;
  for (int64_t i = 0; i < A::size / first; ++i) {
    expected.insert(expected.end(), a.begin() + i * first, a.begin() + (i + 1) * first);
    expected.insert(expected.end(), b.begin() + i * second, b.begin() + (i + 1) * second);
  }
  BOOST_TEST(same(result<on_cuda::concatenate_kernel<T, A, B, Axis>, T>(A::size + B::size, a, b), expected), name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(slices) { maps::slices<check>(); }
BOOST_AUTO_TEST_CASE(paddings) { maps::paddings<check>(); }
BOOST_AUTO_TEST_CASE(flips_and_dilations) { maps::flips_and_dilations<check>(); }
BOOST_AUTO_TEST_CASE(several_walk_along_one) { maps::several_walk_along_one<check>(); }
BOOST_AUTO_TEST_CASE(windows_of_images) { maps::windows_of_images<check>(); }

BOOST_AUTO_TEST_CASE(concatenations) {
  concatenated<float, shape<3, 8, 4>, shape<3, 4, 4>, 1>("in line");
  concatenated<float, shape<3, 5>, shape<3, 2>, 1>("odd");
  concatenated<double, shape<7>, shape<2>, 0>("vectors");
  concatenated<half, shape<2, 3, 5>, shape<4, 3, 5>, 0>("whole rows");
  concatenated<bfloat16, shape<5, 16>, shape<5, 8>, 1>("in line");
  concatenated<float, shape<1>, shape<1>, 0>("two numbers");
}

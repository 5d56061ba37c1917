// SPDX-License-Identifier: BSL-1.0
// Reductions of windows and products with windows, against windows that are written out element by element.
#define BOOST_TEST_MODULE device_cuda_kernel_windows
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>

#include <espalier/device/cpu/kernel/windows.hpp>
#include <espalier/device/cuda/unfused.hpp>
#include <espalier/device/cuda/simulator/simulated_backend.hpp>
#include <espalier/device/cuda/kernel/windows.hpp>
#include <espalier/operation/max.hpp>
#include <espalier/operation/sum.hpp>

#include "maps.hpp"
#include "support/window_values.hpp"

using namespace launched;
using espalier::convolution;
using espalier::shape;
using maps::windows;
using maps::windows_of_gradient;
using test::written_out;

namespace {

template <class T, class Op, class Image, int Rows, int Columns, convolution Options, bool Lowest>
void reduced(char const* name) {
  using Move = windows<Image, Rows, Columns, Options, Lowest>;
  using Window = espalier::shape_from<extents_of<Move>>;
  using Map = typename map_of<Move>::type;
  constexpr extents w = Move::value.shape;
  auto const x = random_numbers<T>(Image::size, 1);
  auto const all = written_out<double, Image, Move>(x);
  std::vector<double> sum(static_cast<size_t>(w.product(0, 3) * w.at[5]), espalier::described<Op>.identity),
      magnitude(sum.size(), 1.0);
  for (int64_t i = 0; i < w.size(); ++i) {
    auto const at = static_cast<size_t>(i / (w.at[5] * Rows * Columns) * w.at[5] + i % w.at[5]);
    sum[at] = espalier::rule<Op>::combine(sum[at], all[static_cast<size_t>(i)]);
    if (!std::isinf(all[static_cast<size_t>(i)])) magnitude[at] += std::fabs(all[static_cast<size_t>(i)]);
  }
  auto const y = result<on_cuda::window_reduction<T, Op, Image, Window, Map>, T>(static_cast<int64_t>(sum.size()), x);
  double const error = off(y, sum, magnitude);
  BOOST_TEST(error <= 4, name << ", " << sizeof(T) << " bytes, error " << error);
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> on_processor(sum.size());
    espalier::on_cpu::window_reduction<T, Op, Image, Window, Map, espalier::on_cpu::default_arch>::run(
        x.data(), nullptr, on_processor.data());
    BOOST_TEST(off(y, {on_processor.begin(), on_processor.end()}, magnitude) <= 4, name << ", as on the CPU");
  }
}

/// What a product with these windows is as a convolution.
template <class Image, class Move, int Outputs, std::uint64_t Transposes>
constexpr on_cuda::convolution_facts facts = on_cuda::detail::convolution_of_windows<
    on_cuda::window_product<float, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type,
                            shape<Transposes != 0 ? static_cast<int>(Move::value.shape.product(3, 6))
                                                  : static_cast<int>(Move::value.shape.product(0, 3)),
                                  Outputs>,
                            Transposes>>();

/// Both products with windows, written out `Most` bytes at a time; images in `Groups`.
template <class T, class Image, class Move, int Outputs, int Groups, int64_t Most>
void products(char const* name, int passes, int passes_of_gradient) {
  using Window = espalier::shape_from<extents_of<Move>>;
  using Map = typename map_of<Move>::type;
  constexpr extents w = Move::value.shape;
  constexpr int64_t pixels = w.product(0, 3), own = pixels / Groups, depth = w.product(3, 6);
  using K = shape<Groups, static_cast<int>(depth), Outputs>;
  using Y = shape<Groups, static_cast<int>(own), Outputs>;
  auto const x = random_numbers<T>(Image::size, 1), k = random_numbers<T>(K::size, 2),
             dy = random_numbers<T>(Y::size, 3);
  auto const all = written_out<double, Image, Move>(x);
  std::vector<double> y(static_cast<size_t>(Y::size)), y_size(y.size()), dk(k.size()), dk_size(k.size());
  for (int64_t p = 0; p < pixels; ++p)
    for (int64_t i = 0; i < depth; ++i)
      for (int64_t o = 0; o < Outputs; ++o) {
        auto const at_y = static_cast<size_t>(p * Outputs + o),
                   at_k = static_cast<size_t>((p / own * depth + i) * Outputs + o);
        double const a = all[static_cast<size_t>(p * depth + i)], term = a * static_cast<double>(k[at_k]),
                     gradient = a * static_cast<double>(dy[at_y]);
        y[at_y] += term, y_size[at_y] += std::fabs(term), dk[at_k] += gradient, dk_size[at_k] += std::fabs(gradient);
      }
  auto const run = [&](bool with_library, auto product, auto b_shape, std::vector<T> const& b, size_t size) {
    on_cuda::simulated_backend m{0, true, with_library};
    using windows_product = typename decltype(product)::type;
    using B = typename decltype(b_shape)::type;
    auto const in = [&](std::vector<T> const& from) {
      void* const at = m.allocate(from.size() * sizeof(T));
      m.to_device(at, from.data(), from.size() * sizeof(T));
      return static_cast<T*>(at);
    };
    T* const out = static_cast<T*>(m.allocate(size * sizeof(T)));
    using as_convolution = on_cuda::detail::convolution_of<windows_product, B>;
    int64_t const scratch =
        std::max(windows_product::scratch, as_convolution::reordered * static_cast<int64_t>(sizeof(T)));
    on_cuda::detail::run_windows<windows_product, B>(m, static_cast<T const*>(in(x)), static_cast<T const*>(in(b)), out,
                                                     m.allocate(static_cast<size_t>(scratch)));
    BOOST_TEST((m.convolutions() > 0) == (with_library && as_convolution::supported));
    std::vector<T> got(size);
    m.to_host(got.data(), out, size * sizeof(T));
    return got;
  };
  using forward = on_cuda::window_product<T, Image, Window, Map, Y, 0, Most>;
  using back = on_cuda::window_product<T, Image, Window, Map, K, 1, Most>;
  BOOST_TEST(forward::passes == passes);
  BOOST_TEST(back::passes == passes_of_gradient);
  for (bool const with_library : {false, true}) {
    double const error =
        off(run(with_library, std::type_identity<forward>{}, std::type_identity<K>{}, k, y.size()), y, y_size);
    double const error_of_gradient =
        off(run(with_library, std::type_identity<back>{}, std::type_identity<Y>{}, dy, dk.size()), dk, dk_size);
    BOOST_TEST(error <= 8, name << ": windows times kernels " << error << (with_library ? ", with a library" : ""));
    BOOST_TEST(error_of_gradient <= 8,
               name << ": gradient of the kernels " << error_of_gradient << (with_library ? ", with a library" : ""));
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(reductions) {
  reduced<float, espalier::max_, shape<2, 7, 6, 16>, 2, 2, convolution{.stride = 2}, true>("largest");
  reduced<float, espalier::max_, shape<2, 7, 6, 13>, 3, 3, convolution{.stride = 2, .padding = 1}, true>(
      "largest, padded");
  reduced<half, espalier::max_, shape<2, 7, 6, 24>, 3, 3, convolution{.stride = 2, .padding = 1}, true>(
      "largest, padded");
  reduced<double, espalier::max_, shape<1, 7, 9, 9>, 2, 3, convolution{.padding = {2, 0, 0, 3}, .dilation = {1, 2}},
          true>("largest, dilated");
  reduced<float, espalier::sum_, shape<1, 7, 9, 40>, 3, 2, convolution{.stride = {1, 3}, .padding = {1, 2}}, false>(
      "sum");
  reduced<bfloat16, espalier::sum_, shape<1, 7, 9, 10>, 3, 2, convolution{.stride = {1, 3}, .padding = {1, 2}}, false>(
      "sum");
  reduced<double, espalier::sum_, shape<1, 4, 4, 11>, 4, 4, convolution{}, false>("sum of all");
  reduced<float, espalier::max_, shape<1, 5, 4, 1>, 2, 2, convolution{.padding = 1}, false>("largest, 0 around");
}

BOOST_AUTO_TEST_CASE(products_with_windows) {
  using few = shape<4, 5, 6, 8>;
  constexpr int64_t image = 5 * 6 * 9 * 8 * 4;
  using padded = windows<few, 3, 3, convolution{.padding = 1}>;
  products<float, few, padded, 5, 1, 1 << 20>("3x3", 1, 1);
  products<float, few, padded, 5, 1, 3 * image>("3x3, two images at a time", 2, 1);
  products<float, few, padded, 5, 1, 1>("3x3, image by image", 4, 1);
  products<float, few, padded, 5, 2, 3 * image>("3x3, a group at a time", 2, 2);
  products<float, few, padded, 5, 2, 1>("3x3 in groups, image by image", 4, 2);
  products<float, few, padded, 5, 4, 2 * image>("3x3, two groups of one", 2, 2);
  products<half, few, padded, 8, 1, image>("3x3, 16 bits", 2, 1);
  products<double, shape<2, 9, 8, 3>,
           windows<shape<2, 9, 8, 3>, 2, 3, convolution{.stride = 2, .padding = {2, 0, 2, 1}, .dilation = {2, 3}}>, 4,
           1, 1 << 20>("everything set", 1, 1);
  products<float, few, windows<few, 1, 1, convolution{}>, 3, 2, 1>("1x1", 1, 1);
  products<float, few, windows<few, 1, 1, convolution{.stride = 2}>, 3, 1, 1 << 20>("1x1, every second", 1, 1);
  using gradient = shape<2, 3, 4, 5>;
  products<float, gradient, windows_of_gradient<gradient, 6, 8, 3, 3, convolution{.stride = 2, .padding = 1}>, 3, 1,
           1 << 20>("back to the images", 1, 1);
  products<float, gradient, windows_of_gradient<gradient, 6, 8, 3, 2, convolution{.stride = {2, 3}, .padding = 1}>, 3,
           2, 1 << 20>("back to the images of groups", 1, 1);
}

BOOST_AUTO_TEST_CASE(products_that_are_convolutions) {
  using on_cuda::convolved;
  using image = shape<2, 7, 9, 4>;
  constexpr auto plain =
      facts<image, windows<image, 3, 2, convolution{.stride = {2, 3}, .padding = {1, 0}, .dilation = {1, 2}}>, 5, 0>;
  BOOST_TEST((plain.what == convolved::result && plain.images == 2 && plain.x_rows == 7 && plain.x_columns == 9 &&
              plain.channels == 4 && plain.outputs == 5));
  BOOST_TEST((plain.y_rows == 4 && plain.y_columns == 3 && plain.kernel_rows == 3 && plain.kernel_columns == 2));
  BOOST_TEST((plain.stride[0] == 2 && plain.stride[1] == 3 && plain.padding[0] == 1 && plain.padding[1] == 0 &&
              plain.dilation[1] == 2));
  BOOST_TEST((facts<image, windows<image, 3, 3, convolution{.padding = 1}>, 5, 1>.what == convolved::kernels));
  // dy of a convolution from 13 x 17 pixels to 7 x 9, padded by 1 in front: what is behind, no window reaches.
  constexpr auto back =
      facts<image, windows_of_gradient<image, 13, 17, 3, 3, convolution{.stride = 2, .padding = 1}>, 5, 0>;
  BOOST_TEST((back.what == convolved::images && back.x_rows == 13 && back.x_columns == 17 && back.channels == 5 &&
              back.y_rows == 7 && back.y_columns == 9));
  BOOST_TEST((back.outputs == 4 && back.stride[0] == 2 && back.stride[1] == 2 && back.padding[0] == 1 &&
              back.padding[1] == 1));
  // More zeros behind than in front, windows that are the image, the gradient of kernels over spread pixels: products
  // of windows.
  BOOST_TEST(
      (facts<image, windows<image, 3, 3, convolution{.padding = {0, 0, 1, 1}}>, 5, 0>.what == convolved::nothing));
  BOOST_TEST((facts<image, windows<image, 1, 1, convolution{}>, 5, 0>.what == convolved::nothing));
  BOOST_TEST(
      (facts<image, windows_of_gradient<image, 13, 17, 3, 3, convolution{.stride = 2, .padding = 1}>, 5, 1>.what ==
       convolved::nothing));
  // Zeros behind that no window reaches do not count.
  BOOST_TEST((facts<image, windows<image, 2, 3, convolution{.stride = 2, .padding = {0, 1, 0, 1}}>, 5, 0>.what ==
              convolved::result));
}

BOOST_AUTO_TEST_CASE(windows_that_are_the_image_are_not_written) {
  using few = shape<4, 5, 6, 8>;
  using Move = windows<few, 1, 1, convolution{}>;
  using product = on_cuda::window_product<float, few, espalier::shape_from<extents_of<Move>>,
                                          typename map_of<Move>::type, shape<1, 120, 3>, 0>;
  BOOST_TEST((product::in_place && product::scratch == 0));
}

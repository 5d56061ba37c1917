// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_library_cudnn_convolutions
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/unfused.hpp>
#include <espalier/device/cuda/simulator/convolve_plainly.hpp>
#include <espalier/device/cuda/library/cuda_backend.hpp>
#include <espalier/device/cuda/simulator/simulated_backend.hpp>

#include <string>
#include <vector>

#include "device/cuda/kernel/launched.hpp"

/// What cuDNN is asked for, which holds with no graphics processor; what it computes, where there is one.
#if defined(ESPALIER_CUDNN)
using namespace launched;
using espalier::convolution;
using espalier::shape;
using on_cuda::convolved;
using test::windows, test::windows_of_gradient;

namespace {

boost::test_tools::assertion_result device(boost::unit_test::test_unit_id) {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

template <class T, class Image, class Move, int Outputs, int Groups, std::uint64_t Transposes>
struct one {
  static constexpr extents w = Move::value.shape;
  static constexpr int pixels = static_cast<int>(w.product(0, 3)) / Groups, depth = static_cast<int>(w.product(3, 6));
  using K = shape<Groups, depth, Outputs>;
  using Y = shape<Groups, pixels, Outputs>;
  using B = std::conditional_t<Transposes != 0, Y, K>;
  using Result = std::conditional_t<Transposes != 0, K, Y>;
  using product = on_cuda::window_product<T, Image, espalier::shape_from<extents_of<Move>>, typename map_of<Move>::type,
                                          Result, Transposes>;
  using convolution = on_cuda::detail::convolution_of<product, B>;

  /// cuDNN finds the same extents, stride by stride, as the compiler.
  static void described(convolved what) {
    constexpr auto f = convolution::value;
    BOOST_TEST((f.what == what));
    on_cuda::detail::cudnn_description const d{f, on_cuda::detail::cudnn_type<T>, CUDNN_FMA_MATH};
    int n = 0, c = 0, h = 0, v = 0;
    BOOST_TEST(
        (cudnnGetConvolution2dForwardOutputDim(d.operation, d.x, d.kernels, &n, &c, &h, &v) == CUDNN_STATUS_SUCCESS));
    BOOST_TEST((n == f.images && c == f.outputs && h == f.y_rows && v == f.y_columns),
               h << " x " << v << " x " << c << ", wanted " << f.y_rows << " x " << f.y_columns);
  }
  /// The machine's convolution, or its products where cuDNN has none, against windows written out on this processor.
  static void computed(on_cuda::float_products precision, double most) {
    auto const x = random_numbers<T>(Image::size, 1), b = random_numbers<T>(B::size, 2);
    std::size_t const scratch =
        static_cast<std::size_t>(std::max(product::scratch, convolution::reordered * static_cast<int64_t>(sizeof(T))));
    auto const run = [&](auto& m) {
      using backend = std::remove_reference_t<decltype(m)>;
      on_cuda::device_block<backend> dx{m, x.size() * sizeof(T)}, db{m, b.size() * sizeof(T)},
          dy{m, static_cast<std::size_t>(Result::size) * sizeof(T)}, space{m, scratch};
      m.to_device(dx.template at<T>(0), x.data(), x.size() * sizeof(T));
      m.to_device(db.template at<T>(0), b.data(), b.size() * sizeof(T));
      on_cuda::detail::run_windows<product, B>(m, static_cast<T const*>(dx.template at<T>(0)),
                                               static_cast<T const*>(db.template at<T>(0)), dy.template at<T>(0),
                                               space.template at<void>(0));
      std::vector<T> y(static_cast<std::size_t>(Result::size));
      m.to_host(y.data(), dy.template at<void>(0), y.size() * sizeof(T));
      return y;
    };
    on_cuda::simulated_backend plain{0, true, false};
    on_cuda::cuda_backend m;
    m.set_precision(precision);
    auto const expected = run(plain), got = run(m), again = run(m);
    BOOST_TEST(same(got, again));
    double worst = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      worst = std::max(worst, std::fabs(static_cast<double>(got[i]) - static_cast<double>(expected[i])));
    BOOST_TEST(worst <= most * std::sqrt(static_cast<double>(product::transposed ? pixels : depth)),
               "off by " << worst
                         << (m.convolves<T, convolution>() ? "" : " (cuDNN has nothing for it: products of windows)"));
  }
};

using images = shape<4, 14, 18, 8>;
using gradients = shape<4, 7, 9, 16>;
template <class T, int Groups>
using plain = one<T, images, windows<images, 3, 3, convolution{.padding = 1}>, 16, Groups, 0>;
template <class T, int Groups>
using of_kernels = one<T, images, windows<images, 3, 3, convolution{.padding = 1}>, 16, Groups, 1>;
template <class T, int Groups>
using of_images =
    one<T, gradients, windows_of_gradient<gradients, 13, 17, 3, 3, convolution{.stride = 2, .padding = 1}>, 8, Groups,
        0>;
template <class T>
using uneven =
    one<T, images, windows<images, 3, 2, convolution{.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 3}}>, 5, 1,
        0>;

}  // namespace

BOOST_AUTO_TEST_CASE(requests_to_cudnn) {
  plain<float, 1>::described(convolved::result);
  of_kernels<double, 2>::described(convolved::kernels);
  of_images<espalier::half, 1>::described(convolved::images);
  uneven<bfloat16>::described(convolved::result);
}

BOOST_AUTO_TEST_CASE(errors_name_the_call_and_what_it_was_for) {
  on_cuda::convolution_facts f = plain<float, 1>::convolution::value;
  f.channels = -1;
  std::string log;
  try {
    on_cuda::detail::cudnn_description const d{f, CUDNN_DATA_FLOAT, CUDNN_FMA_MATH};
  } catch (on_cuda::cuda_error const& e) {
    log = e.what();
  }
  BOOST_TEST(log.rfind("cudnnSetTensor4dDescriptor: CUDNN_STATUS_BAD_PARAM", 0) == 0, log);
  BOOST_TEST(log.find(": 4 images of 14 x 18 x -1") != std::string::npos, log);
}

BOOST_AUTO_TEST_CASE(what_cudnn_computes, *boost::unit_test::precondition(device)) {
  auto const exact = on_cuda::float_products::exact;
  plain<float, 1>::computed(exact, 2e-6);
  plain<float, 2>::computed(exact, 2e-6);
  of_kernels<float, 1>::computed(exact, 2e-6);
  of_kernels<float, 4>::computed(exact, 2e-6);
  of_images<float, 1>::computed(exact, 2e-6);
  of_images<float, 2>::computed(exact, 2e-6);
  uneven<float>::computed(exact, 2e-6);
  plain<double, 1>::computed(exact, 1e-14);
  of_images<double, 1>::computed(exact, 1e-14);
  plain<espalier::half, 1>::computed(exact, 4e-3);
  of_kernels<espalier::half, 2>::computed(exact, 4e-3);
  of_images<bfloat16, 1>::computed(exact, 3e-2);
  plain<float, 1>::computed(on_cuda::float_products::tf32, 2e-3);
}
#else
/// Without it the machine offers no convolutions, so that they are products of windows.
template <class Backend>
concept OffersConvolutions = requires(Backend& m) {
  m.template convolves<float, int>();
};
BOOST_AUTO_TEST_CASE(built_without_cudnn) {
  BOOST_TEST(!OffersConvolutions<espalier::on_cuda::cuda_backend>);
  BOOST_TEST(OffersConvolutions<espalier::on_cuda::simulated_backend>);
}
#endif

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_read_quantized_onnx
#include <boost/test/unit_test.hpp>

#include <espalier/io/read_quantized_onnx.hpp>

#include "support/nets.hpp"
#include "support/temporary.hpp"

using namespace test;
namespace io = espalier::io;
using esp::shape, esp::tensor;

namespace {

template <class T>
int differing(T const& a, T const& b) {
  int n = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) n += !(a[i] == b[i]);
  return n;
}

/// Writes a quantized net, reads it and counts the results that differ.
template <class Net, int... N>
int differing_after_a_file(shape<N...> batch) {
  temporary::folder const folder;
  esp::model<Net> model{esp::seed{3}};
  scramble(model);
  auto const x = numbers<float, shape<N...>>(7);
  esp::calibration calibration{model, batch};
  calibration(x);
  io::write_quantized_onnx<shape<N...>>(folder.path("net.onnx"), model, calibration);
  esp::quantized written{model, calibration, batch};
  auto read = io::read_quantized_onnx<Net, shape<N...>>(folder.path("net.onnx"));
  static_assert(std::is_same_v<decltype(read), decltype(written)>);
  tensor<float, typename decltype(read)::output_shape> expected, y;
  written(x, expected);
  read(x, y);
  return differing(expected, y);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_was_written_has_the_same_bits) {
  BOOST_TEST((differing_after_a_file<nn::Sequential<nn::Linear<6, 7>, nn::ReLU, nn::Linear<7, 3>>>(shape<4, 6>{})) == 0);
  using Pictures = nn::Sequential<nn::ConvBN<3, 8, 3>, nn::MaxPool2d<2>, nn::Conv<8, 16, 3, nn::conv{.groups = 2}>,
                                  nn::ReLU, nn::AvgPool2d<2>, nn::Flatten, nn::Linear<16 * 2 * 2, 10>>;
  BOOST_TEST(differing_after_a_file<Pictures>(shape<3, 3, 8, 8>{}) == 0);
  using Separable = nn::Sequential<nn::Conv<4, 4, 3, nn::conv{.groups = 4}>, nn::ReLU,
                                   nn::ConvBN<4, 8, 3, nn::conv{.stride = 2}>, nn::Conv<8, 5, 1>,
                                   nn::Conv<5, 4, 3, nn::conv{.dilation = 2}>>;
  BOOST_TEST(differing_after_a_file<Separable>(shape<2, 4, 9, 8>{}) == 0);
  using Signals = nn::Sequential<nn::Conv1d<2, 8, 5>, nn::ReLU, nn::Conv1d<8, 3, 3>>;
  BOOST_TEST(differing_after_a_file<Signals>(shape<2, 2, 20>{}) == 0);
  using Normed = nn::Sequential<nn::Linear<16, 32>, nn::BatchNorm1d<32>, nn::ReLU,
                                nn::Residual<nn::Sequential<nn::Linear<32, 32>, nn::LayerNorm1d<32>, nn::Tanh>>,
                                nn::Linear<32, 4>, nn::Softmax<>>;
  BOOST_TEST(differing_after_a_file<Normed>(shape<8, 16>{}) == 0);
  BOOST_TEST((differing_after_a_file<nn::MultiheadAttention<32, 4>>(shape<2, 6, 32>{})) == 0);
}

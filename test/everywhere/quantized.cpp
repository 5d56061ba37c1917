// SPDX-License-Identifier: BSL-1.0
// A quantized net: products of bytes by whatever instructions the processor has, and sums that are exact in 32 bits, so
// that all processors have the same results.
#include <espalier.hpp>
#include <espalier/model/calibration.hpp>
#include <espalier/model/quantized.hpp>

#include "expect.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

// Widths that are no multiple of a register, and sums with a rest; a window, and a weight for each channel.
using Dense = nn::Sequential<nn::Linear<13, 40>, nn::ReLU, nn::Linear<40, 21>, nn::ReLU, nn::Linear<21, 5>>;
using Windows = nn::Sequential<nn::Conv<3, 7, 3>, nn::ReLU, nn::Conv<7, 7, 3, nn::conv{.groups = 7}>, nn::Flatten,
                               nn::Linear<8 * 8 * 7, 3>>;
// Enough channels for tiles of integers where there are vector registers.
using Tiles = nn::Sequential<nn::Conv<16, 24, 3>, nn::ReLU, nn::Conv<24, 16, 3>>;

/// Numbers that every processor computes exactly, up to most / 8.
template <class Model>
static void fill(Model& model, int most) {
  std::int32_t n = 1;
  for (float& x : model.parameters()) {
    n = n * 421 % 1009;
    x = static_cast<float>(n - 504) / 1024 * static_cast<float>(most) / 4;
  }
}
template <class Net, class Batch>
static void run(everywhere::report& to, everywhere::expected const& from, int most = 4) {
  static esp::bytes<esp::model<Net>::bytes> room;
  static esp::model<Net> model{esp::seed{0}, room};
  fill(model, most);
  using found = esp::calibration<esp::model<Net>, Batch>;
  esp::activation_ranges<found::products> ranges;
  for (int k = 0; k < found::products; ++k) {
    ranges.data()[2 * k] = -static_cast<float>(1 << k);
    ranges.data()[2 * k + 1] = static_cast<float>(1 << k);
  }
  static esp::bytes<esp::quantized<esp::model<Net>, Batch>::bytes> memory;
  static esp::quantized net{model, ranges, Batch{}, memory};
  static esp::tensor<float, Batch> x;
  for (std::int64_t i = 0; i < Batch::size; ++i) x.data()[i] = static_cast<float>(i * 37 % 129 - 64) / 64;
  static esp::tensor<float, typename esp::predictor<esp::model<Net>, Batch>::output_shape> y;
  net(x, y);
  static esp::bytes<esp::predictor<esp::model<Net>, Batch>::bytes> workspace;
  static esp::predictor in_float{model, Batch{}, workspace};
  static decltype(y) expected;
  in_float(x, expected);
  to.check(all_close(y, expected, 0.0, 0.2), "integers are near the numbers");
  everywhere::bits_hash hash;
  hash.add(y.data(), esp::shape_of<decltype(y)>::size);
  to.check(from, y.data()[0], hash);
}

int main() {
  everywhere::report to;
  run<Dense, esp::batch<3, 13>>(to, {"dense layers", -0.587784f, 0x8c3dba18fc733267u});
  run<Windows, esp::batch<1, 3, 8, 8>>(to, {"windows", -1.180861f, 0xad2f6d75584cd7beu});
  run<Tiles, esp::batch<1, 16, 9, 7>>(to, {"tiles", -0.339055f, 0xd0dfa03f4fd70b4eu}, 1);
  return to.finish();
}

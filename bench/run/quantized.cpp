// SPDX-License-Identifier: BSL-1.0
// Nets with integers of 8 bits beside the same nets in float: quantized and frozen.
#include <espalier/model/frozen.hpp>
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

#include <algorithm>
#include <memory>

#include "harness.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

template <class Net, class Batch>
struct net_row {
  using model = esp::model<Net>;
  using frozen = esp::frozen<model, Batch>;
  using quantized = esp::quantized<model, Batch>;
  using scores = typename frozen::output_shape;

  template <class Run>
  static bench::work run(bench::operands o, std::shared_ptr<Run> net) {
    esp::view<float const, Batch> const x(o.in[0]);
    esp::view<float, scores> const y(o.out[0]);
    return {bench::repeated([=] { (*net)(x, y); })};
  }
  static bench::work in_float(bench::operands o) {
    auto const start = std::make_unique<model>(esp::seed{0});
    return run(o, std::make_shared<frozen>(*start, Batch{}));
  }
  static bench::work in_int8(bench::operands o) {
    auto const start = std::make_unique<model>(esp::seed{0});
    esp::calibration calibration{*start, Batch{}};
    calibration(esp::view<float const, Batch>(o.in[0]));
    return run(o, std::make_shared<quantized>(*start, calibration, Batch{}));
  }
  bench::row row;
  bench::implementation own, integers;
  explicit net_row(std::string const& name)
      : row{name, {{Batch::size}}, {{scores::size, 0.1}}, 0, 0},
        own{name, "espalier", in_float},
        integers{name, "espalier int8", in_int8} {}
};

template <int In, int Hidden, int Out>
using layers =
    nn::Sequential<nn::Linear<In, Hidden>, nn::ReLU, nn::Linear<Hidden, Hidden>, nn::ReLU, nn::Linear<Hidden, Out>>;
using pictures = nn::Sequential<nn::ConvBN<1, 16, 3>, nn::ConvBN<16, 32, 3>, nn::MaxPool2d<2>, nn::ConvBN<32, 64, 3>,
                                nn::MaxPool2d<2>, nn::Flatten, nn::Linear<64 * 7 * 7, 10>>;
using wide = nn::Sequential<nn::ConvBN<64, 64, 3>, nn::ConvBN<64, 64, 3>>;
using separable = nn::Sequential<nn::Conv<64, 64, 3, nn::conv{.groups = 64}>, nn::ReLU, nn::Conv<64, 128, 1>, nn::ReLU,
                                 nn::Conv<128, 128, 3, nn::conv{.groups = 128}>, nn::ReLU, nn::Conv<128, 128, 1>>;
using strided = nn::Sequential<nn::ConvBN<32, 64, 3, nn::conv{.stride = 2}>,
                               nn::ConvBN<64, 128, 3, nn::conv{.stride = 2}>, nn::ConvBN<128, 128, 1>>;

net_row<layers<64, 64, 10>, esp::batch<1, 64>> const small{"quantized/linear/64-64-64-10/1"};
net_row<layers<256, 512, 10>, esp::batch<1, 256>> const large{"quantized/linear/256-512-512-10/1"};
net_row<layers<256, 512, 10>, esp::batch<32, 256>> const large_batch{"quantized/linear/256-512-512-10/32"};
net_row<pictures, esp::batch<1, 1, 28, 28>> const picture{"quantized/conv/28x28/1"};
net_row<wide, esp::batch<1, 64, 28, 28>> const many_channels{"quantized/conv/28x28x64/1"};
net_row<separable, esp::batch<1, 64, 16, 16>> const by_channel{"quantized/separable/16x16x64/1"};
net_row<strided, esp::batch<1, 32, 32, 32>> const with_steps{"quantized/strided/32x32x32/1"};

}  // namespace

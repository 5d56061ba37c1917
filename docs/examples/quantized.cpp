// SPDX-License-Identifier: BSL-1.0
// Trains a small convolutional net on handwritten digits in float, calibrates it, and tests it with integers of 8 bits.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/activation_ranges.hpp>
#include <espalier/io/onnx_quantized.hpp>
#include <espalier/io/read_quantized_onnx.hpp>
#include <espalier/model/quantized.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

struct AsImages {
  ESPALIER_MODULE(AsImages)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 8, 8, 1>(x); }
};
template <int Channels>
using Block = nn::Residual<nn::Sequential<nn::ConvBN<Channels, Channels, 3, nn::conv{.layout = esp::nhwc}>,
                                          nn::ConvBN<Channels, Channels, 3, nn::conv{.layout = esp::nhwc}>>>;
using Net = nn::Sequential<AsImages, nn::ConvBN<1, 16, 3, nn::conv{.layout = esp::nhwc}>, Block<16>,
                           nn::ConvBN<16, 32, 3, nn::conv{.stride = 2, .layout = esp::nhwc}>, Block<32>,
                           nn::GlobalAvgPool<esp::nhwc>, nn::Linear<32, 10>>;
using batch = esp::batch<32, 8, 8>;
using scores = esp::tensor<float, esp::shape<32, 10>>;

namespace {

/// The number of right answers, of all pictures.
template <class Run, class Pictures>
int right_answers(Run& run, Pictures const& pictures) {
  data::loader batches{pictures, batch{}, data::in_order{}, data::padded};
  scores y;
  int right = 0;
  for (auto const& [images, labels, count] : batches.epoch(0)) {
    run(images, y);
    for (int n = 0; n < count; ++n) {
      int best = 0;
      for (int i = 1; i < 10; ++i) best = y[10 * n + i] > y[10 * n + best] ? i : best;
      right += best == labels[n];
    }
  }
  return right;
}

}  // namespace

int main() try {
  data::dataset<float, esp::shape<8, 8>> const pictures{ESPALIER_DATA "/optdigits-images-idx3-ubyte",
                                                        ESPALIER_DATA "/optdigits-labels-idx1-ubyte",
                                                        {.classes = 10, .scale = 1.0 / 8, .shift = -1}};
  auto const [training, test] = pictures.split(1437);
  esp::model<Net> model{esp::seed{0}};
  {
    esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 3e-3f}, batch{}};
    data::loader batches{training, batch{}, data::shuffled{1}, data::drop_last};
    for (int epoch = 0; epoch < 6; ++epoch)
      for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);
  }

  // [calibrate]
  esp::calibration calibration{model, batch{}};
  data::loader some{training, batch{}, data::in_order{}, data::drop_last};
  for (auto const& [images, labels] : some.epoch(0)) calibration(images);  // records ranges, in float
  // [/calibrate]

  // [quantized]
  esp::quantized classify{model, calibration, batch{}};
  scores y;
  classify(esp::tensor<float, batch>{}, y);  // noexcept, never allocates
  // [/quantized]

  // [store]
  esp::io::save_ranges("ranges.npy", calibration.ranges());  // beside the model's parameters
  esp::activation_ranges<calibration.products> ranges;
  esp::io::load_ranges("ranges.npy", ranges);
  esp::quantized single{model, ranges, esp::batch<1, 8, 8>{}};  // another number of samples
  // [/store]

  // [onnx]
  esp::io::write_quantized_onnx<esp::io::any_batch<8, 8>>("digits_int8.onnx", model, calibration);
  // [/onnx]

  // [read]
  auto from_file = esp::io::read_quantized_onnx<Net, batch>("digits_int8.onnx");  // an esp::quantized
  // [/read]

  esp::predictor predict{model, batch{}};
  int const in_float = right_answers(predict, test), in_int8 = right_answers(classify, test);
  esp::tensor<float, esp::shape<1, 10>> one;
  single(esp::tensor<float, esp::batch<1, 8, 8>>{}, one);
  bool same = true;
  scores of_file;
  from_file(esp::tensor<float, batch>{}, of_file);
  for (int i = 0; i < 10; ++i) same = same && one[i] == y[i] && of_file[i] == y[i];
  std::printf("%d products; of 360 digits, %d are right in float and %d in integers of 8 bits\n", classify.products,
              in_float, in_int8);
  return same && in_float > 324 && in_int8 + 1.8 >= in_float ? 0 : 1;  // at most half a percent is lost
} catch (std::exception const& error) {
  std::fprintf(stderr, "quantized: %s\n", error.what());
  return 1;
}

// SPDX-License-Identifier: BSL-1.0
// Trains a small net on handwritten digits, writes it with integers of 8 bits for TensorFlow Lite, and reads the file.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/read_quantized_tflite.hpp>
#include <espalier/io/tflite.hpp>

#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 16>, nn::ReLU, nn::Linear<16, 10>>;
using batch = esp::batch<32, 8, 8>;

namespace {

/// The number of right answers, of all pictures.
template <class Run, class Pictures>
int right_answers(Run& run, Pictures const& pictures) {
  data::loader batches{pictures, batch{}, data::in_order{}, data::padded};
  esp::tensor<float, esp::shape<32, 10>> y;
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
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 3e-3f}, batch{}};
  data::loader batches{training, batch{}, data::shuffled{1}, data::drop_last};
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);

  // [write]
  esp::calibration calibration{model, batch{}};
  esp::result_calibration results{model, batch{}};
  for (auto const& [images, labels] : batches.epoch(0)) {
    calibration(images);
    results(images);
  }
  esp::io::write_tflite<esp::batch<1, 8, 8>>("digits.tflite", model, calibration, results);
  // [/write]

  // [read]
  auto classify = esp::io::read_quantized_tflite<Net, batch>("digits.tflite");  // an esp::quantized
  // [/read]

  esp::predictor predict{model, batch{}};
  int const in_float = right_answers(predict, test), in_int8 = right_answers(classify, test);
  std::printf("of 360 digits, %d are right in float and %d in integers of 8 bits\n", in_float, in_int8);
  return in_float > 316 && in_int8 + 4 >= in_float ? 0 : 1;
} catch (std::exception const& error) {
  std::fprintf(stderr, "tensorflow_lite: %s\n", error.what());
  return 1;
}

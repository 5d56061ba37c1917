// SPDX-License-Identifier: BSL-1.0
// What integers of 8 bits cost in accuracy: a convolutional net is trained on pictures of 28x28 pixels in float,
// calibrated on the first of its training pictures, and tested with floats and with integers on the others.
//   quantized_accuracy TRAINING_IMAGES TRAINING_LABELS TEST_IMAGES TEST_LABELS
// The files are MNIST's, or others of that form, unpacked.
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/model/quantized.hpp>

#include <cstdio>
#include <memory>
#include <vector>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

namespace {

struct AsChannels {
  ESPALIER_MODULE(AsChannels)
  constexpr auto forward(auto x) const { return esp::reshape<-1, 1, 28, 28>(x); }
};
using Net = nn::Sequential<AsChannels, nn::ConvBN<1, 16, 3>, nn::ConvBN<16, 32, 3>, nn::MaxPool2d<2>,
                           nn::ConvBN<32, 64, 3>, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<64 * 7 * 7, 10>>;
using batch = esp::batch<50, 28, 28>;
using pictures = data::dataset<float, esp::shape<28, 28>>;
using scores = esp::tensor<float, esp::shape<50, 10>>;

/// The number of right answers, of all pictures; in `answers`, each answer.
template <class Run>
int right_answers(Run& run, pictures const& all, std::vector<int>& answers) {
  data::loader batches{all, batch{}, data::in_order{}, data::padded};
  auto const y = std::make_unique<scores>();
  int right = 0;
  answers.clear();
  for (auto const& [images, labels, count] : batches.epoch(0)) {
    run(images, *y);
    for (int n = 0; n < count; ++n) {
      int best = 0;
      for (int i = 1; i < 10; ++i) best = (*y)[10 * n + i] > (*y)[10 * n + best] ? i : best;
      right += best == labels[n];
      answers.push_back(best);
    }
  }
  return right;
}

}  // namespace

int main(int count, char** words) try {
  if (count != 5) {
    std::fprintf(stderr, "quantized_accuracy TRAINING_IMAGES TRAINING_LABELS TEST_IMAGES TEST_LABELS\n");
    return 2;
  }
  data::reading const options{.classes = 10, .scale = 2.0 / 255, .shift = -1};
  pictures const training{words[1], words[2], options};
  pictures const test{words[3], words[4], options};

  for (unsigned seed = 0; seed < 3; ++seed) {
    auto const model = std::make_unique<esp::model<Net>>(esp::seed{seed});
    {
      esp::trainer trainer{*model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 1e-3f}, batch{}};
      data::loader batches{training, batch{}, data::shuffled{seed}, data::drop_last};
      for (int epoch = 0; epoch < 5; ++epoch)
        for (auto const& [images, labels] : batches.epoch(epoch)) trainer.step(images, labels);
    }
    esp::calibration calibration{*model, batch{}};
    data::loader some{training, batch{}, data::in_order{}, data::drop_last};
    int samples = 0;
    for (auto const& [images, labels] : some.epoch(0)) {
      if (samples >= 1000) break;
      calibration(images);
      samples += 50;
    }
    std::vector<int> as_float, as_int8;
    auto const in_float = std::make_unique<esp::frozen<esp::model<Net>, batch>>(*model, batch{});
    auto const in_int8 = std::make_unique<esp::quantized<esp::model<Net>, batch>>(*model, calibration, batch{});
    int const right = right_answers(*in_float, test, as_float), integers = right_answers(*in_int8, test, as_int8);
    int different = 0;
    for (std::size_t n = 0; n < as_float.size(); ++n) different += as_float[n] != as_int8[n];
    double const of = 100.0 / static_cast<double>(as_float.size());
    std::printf("seed %u: float %.2f %%, int8 %.2f %%, difference %+.2f points; %d of %zu answers differ\n", seed,
                of * right, of * integers, of * (integers - right), different, as_float.size());
  }
} catch (std::exception const& error) {
  std::fprintf(stderr, "quantized_accuracy: %s\n", error.what());
  return 1;
}

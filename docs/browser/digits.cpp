// SPDX-License-Identifier: BSL-1.0
// The net of digits.cpp in a page of the browser: the page copies the pictures into this module's memory, asks for a
// few steps of training between two frames, and reads back what it shows.
#include <espalier/data/loader.hpp>

#include <cmath>
#include <cstdint>
#include <optional>

#include "support/classifier.hpp"

/// A function that the page calls.
#define EXPORT(name) extern "C" [[clang::export_name(#name)]]

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

namespace {

constexpr int sample_count = 1797, training_count = 1437, pixels = 8 * 8, classes = 10;

std::uint8_t image_bytes[sample_count * pixels];  // (samples, 8, 8), 0 to 16
std::uint8_t label_bytes[sample_count];
std::int32_t confusion[classes * classes];  // (digit, prediction)
float drawing[pixels];                      // (8, 8), 0 to 16
float probabilities[classes];

float images[sample_count * pixels];  // (samples, 8, 8), -1 to 1
std::int32_t labels[sample_count];

using one = esp::batch<1, 8, 8>;
using Predictor = esp::predictor<digits::Model, digits::batch>;
using OnePredictor = esp::predictor<digits::Model, one>;
using samples = data::samples<float, esp::shape<8, 8>>;

// The model and what trains and runs it have static memory. Only the loaders allocate theirs, once in a run.
esp::bytes<digits::Model::bytes> model_memory;
esp::bytes<digits::Trainer::bytes> trainer_memory;
esp::bytes<Predictor::bytes> predictor_memory;
esp::bytes<OnePredictor::bytes> one_memory;

/// Each epoch has an order of its own, and leaves out the 29 samples that do not fill a batch.
auto training_batches(std::uint64_t seed) {
  return data::loader{samples{images, labels, training_count}, digits::batch{}, data::shuffled{seed}, data::drop_last};
}
/// Other people wrote the test samples.
auto test_batches() {
  return data::loader{samples{images + training_count * pixels, labels + training_count, sample_count - training_count},
                      digits::batch{}, data::in_order{}, data::padded};
}

/// A run of training, which continues by one step at a time.
struct run {
  digits::Model model;
  digits::Trainer trainer{trainer_memory, model, nn::SoftmaxLoss{},
                          optim::Adam{.learning_rate = 1e-3f, .weight_decay = 1e-3f}, digits::batch{}};
  Predictor predict{model, digits::batch{}, predictor_memory};
  OnePredictor predict_one{model, one{}, one_memory};
  decltype(training_batches(0)) training;
  decltype(test_batches()) test = test_batches();
  std::int64_t epoch = 0;
  decltype(training.epoch(0).begin()) next = training.epoch(0).begin();

  explicit run(std::uint64_t seed) : model{esp::seed{seed}, model_memory}, training{training_batches(seed)} {}

  float step() {
    auto const& [batch, targets] = *next;
    float const loss = trainer.step(batch, targets);
    if (++next == training.epoch(epoch).end()) next = training.epoch(++epoch).begin();
    return loss;
  }
};
std::optional<run> now;

/// The class of the greatest score.
template <class Scores>
int best_of(Scores const& scores, int row) {
  int best = 0;
  for (int k = 1; k < classes; ++k)
    if (scores(row, k) > scores(row, best)) best = k;
  return best;
}

}  // namespace

// Where the page puts the data, and where it reads results.
EXPORT(images) std::uint8_t* address_of_images() { return image_bytes; }
EXPORT(labels) std::uint8_t* address_of_labels() { return label_bytes; }
EXPORT(drawing) float* address_of_drawing() { return drawing; }
EXPORT(probabilities) float* address_of_probabilities() { return probabilities; }
EXPORT(confusion) std::int32_t* address_of_confusion() { return confusion; }

EXPORT(sample_count) int get_sample_count() { return sample_count; }
EXPORT(test_count) int get_test_count() { return sample_count - training_count; }
EXPORT(parameter_count) int get_parameter_count() { return static_cast<int>(esp::parameter_count<digits::Classifier>); }
/// Bytes of static memory of the model, its trainer and its predictors.
EXPORT(bytes) int get_bytes() {
  return static_cast<int>(sizeof model_memory + sizeof trainer_memory + sizeof predictor_memory + sizeof one_memory);
}

/// Begins a run with new weights. Pixels 0 to 16 become -1 to 1, as in digits.cpp.
EXPORT(start) void start(std::uint32_t seed) {
  for (int i = 0; i < sample_count * pixels; ++i) images[i] = static_cast<float>(image_bytes[i]) / 8 - 1;
  for (int i = 0; i < sample_count; ++i) labels[i] = label_bytes[i];
  now.reset();
  now.emplace(seed);
}

/// One step of training: the loss.
EXPORT(step) float step() { return now->step(); }

/// The number of epochs that are complete.
EXPORT(epoch) int epoch() { return static_cast<int>(now->epoch); }

/// Fills the confusion matrix with the test samples: how many are right.
EXPORT(test) int test() {
  esp::tensor<float, esp::shape<digits::batch::value.at[0], classes>> scores;
  for (auto& count : confusion) count = 0;
  int right = 0;
  for (auto const& [batch, targets, count] : now->test.epoch(0)) {
    now->predict(batch, scores);
    for (int row = 0; row < count; ++row) {
      int const best = best_of(scores, row);
      ++confusion[targets(row) * classes + best];
      right += best == targets(row) ? 1 : 0;
    }
  }
  return right;
}

/// Computes the probabilities of the drawing: the digit.
EXPORT(classify) int classify() {
  esp::tensor<float, one> image;
  esp::tensor<float, esp::shape<1, classes>> scores;
  for (int i = 0; i < pixels; ++i) image.data()[i] = drawing[i] / 8 - 1;
  now->predict_one(image, scores);
  int const best = best_of(scores, 0);
  float sum = 0;
  for (int k = 0; k < classes; ++k) sum += probabilities[k] = std::exp(scores(0, k) - scores(0, best));
  for (float& p : probabilities) p /= sum;
  return best;
}

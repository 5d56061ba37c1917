// SPDX-License-Identifier: BSL-1.0
// Page 8 of the guide: where a model runs is one template argument.
//   guide_devices [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>
#include <espalier/parallel.hpp>

#include <thread>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

using Net = nn::Sequential<nn::Linear<16, 64>, nn::BatchNorm1d<64>, nn::ReLU, nn::Linear<64, 4>>;
using batch = esp::batch<32, 16>;

// [train]
template <class Device>
float train(esp::model<Net, Device>& model, tensor<float, batch> const& inputs,
            tensor<std::int32_t, shape<32>> const& labels) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01}, batch{}};
  float loss = 0;
  for (int step = 0; step < 50; ++step) loss = trainer.step(inputs, labels);
  return loss;
}
// [/train]

int main(int count, char** words) {
  examples::recorded out;
  tensor<float, batch> inputs;
  tensor<std::int32_t, shape<32>> labels;
  nn::init::fill(nn::init::normal{}, inputs.span(), {.seed = 1});
  for (int i = 0; i < 32; ++i) labels[i] = i % 4;

  // [parallel]
  esp::model<Net> alone{esp::seed{0}};                           // esp::cpu
  esp::model<Net, esp::cpu_parallel<2>> together{esp::seed{0}};  // two threads share each kernel that is worth it
  float const loss = train(alone, inputs, labels);
  examples::show(out, "two threads, same bits", train(together, inputs, labels) == loss ? "yes" : "no");
  // [/parallel]

  // [predictors]
  // A predictor only reads its model: one for each thread, and they share nothing else.
  tensor<float, shape<32, 4>> first, second;
  auto const serve = [&](tensor<float, shape<32, 4>>& scores) {
    esp::predictor predict{alone, batch{}};
    for (int i = 0; i < 100; ++i) predict(inputs, scores);
  };
  {
    std::jthread const one{[&] { serve(first); }}, other{[&] { serve(second); }};
  }
  examples::show(out, "both predict the same", first == second ? "yes" : "no");
  // [/predictors]

  // [element]
  esp::model<Net, esp::cpu, double> precise;  // the element type is the third argument
  copy(alone, precise);                       // numbers are converted, names and shapes are the same
  tensor<double, batch> const wide{inputs};
  tensor<double, shape<32, 4>> const scores = precise(wide);
  examples::show(out, "double agrees", all_close(first, scores, 1e-4, 1e-5) ? "yes" : "no");
  // [/element]
  return out.finish(count, words);
}

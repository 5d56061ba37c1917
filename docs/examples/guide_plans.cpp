// SPDX-License-Identifier: BSL-1.0
// Page 7 of the guide: the costs of a step are constants, and its memory can be yours.
//   guide_plans [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

// [facts]
using Net = nn::Sequential<nn::Linear<12, 24>, nn::LayerNorm1d<24>, nn::ReLU, nn::Linear<24, 4>>;
using batch = esp::batch<8, 12>;
constexpr auto step = esp::training_plan<Net, nn::MeanSquaredError, optim::Adam, batch>;

static_assert(step.parameter_count == (12 * 24 + 24) + (24 + 24) + (24 * 4 + 4));
static_assert(step.workspace_bytes <= 4 * 1024);                 // activations, gradients and temporaries of a step
static_assert(step.workspace_bytes == step.peak_live_bytes);     // the lower bound for this order of kernels
static_assert(step.optimizer_bytes == 2 * step.gradient_bytes);  // Adam: two moments for each parameter
// [/facts]

// [larger]
// A batch eight times as large: the same kernels, eight times the activations, the same parameters.
constexpr auto larger = esp::training_plan<Net, nn::MeanSquaredError, optim::Adam, esp::batch<64, 12>>;
static_assert(larger.kernel_count == step.kernel_count && larger.parameter_bytes == step.parameter_bytes);
static_assert(larger.workspace_bytes > 7 * step.workspace_bytes);
// [/larger]

// [checkpoint]
// Of a recomputed block, a step keeps only the input and the result: less workspace, and each product once more.
using Block = nn::Sequential<nn::Linear<64, 64>, nn::Tanh, nn::Linear<64, 64>, nn::Tanh, nn::Linear<64, 64>, nn::Tanh>;
template <class Each>
constexpr auto plan_of_blocks =
    esp::training_plan<nn::Sequential<nn::Linear<12, 64>, nn::Repeat<8, Each>, nn::Linear<64, 4>>, nn::MeanSquaredError,
                       optim::Adam, esp::batch<64, 12>>;
constexpr auto kept = plan_of_blocks<Block>;
constexpr auto recomputed = plan_of_blocks<nn::Checkpoint<Block>>;
static_assert(2 * recomputed.workspace_bytes < kept.workspace_bytes);  // 192 KiB instead of 417 KiB
static_assert(recomputed.kernel_count == kept.kernel_count + 8 * 3);   // 129 instead of 105
// [/checkpoint]

// [memory]
// Everything in memory of the program itself: no heap, all sizes are constants.
using trainer_type = esp::trainer<esp::model<Net>, nn::MeanSquaredError, optim::Adam, batch>;
esp::bytes<esp::model<Net>::bytes> model_memory;
esp::bytes<trainer_type::bytes> trainer_memory;
static_assert(sizeof model_memory + sizeof trainer_memory <= 16 * 1024);
// [/memory]

int main(int count, char** words) {
  examples::recorded out;
  examples::show(out, "parameters", step.parameter_count);
  examples::show(out, "multiply and add", step.flops);
  examples::show(out, "kernels", step.kernel_count);
  examples::show(out, "workspace, bytes", step.workspace_bytes);

  // [run]
  esp::model<Net> model{esp::seed{0}, model_memory};
  trainer_type trainer{trainer_memory, model, nn::MeanSquaredError{}, optim::Adam{}, batch{}};
  tensor<float, batch> inputs;
  tensor<float, shape<8, 4>> targets;
  nn::init::fill(nn::init::uniform{}, inputs.span(), {.seed = 1});
  float const before = trainer.step(inputs, targets);
  float after = before;
  for (int i = 0; i < 200; ++i) after = trainer.step(inputs, targets);
  // [/run]
  examples::show(out, "learned", after < 0.1f * before ? "yes" : "no");
  return out.finish(count, words);
}

// SPDX-License-Identifier: BSL-1.0
// A net for a small machine: its memory is a promise that the compiler keeps. With eight more hidden units it does not
// compile.
//   fits_in_32k [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

// Handwritten digits of 8 x 8 points. Trained elsewhere or here, in steps of 16.
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 100>, nn::ReLU, nn::LayerNorm1d<100>, nn::Linear<100, 10>>;
using one = esp::batch<1, 8, 8>;
using batch = esp::batch<16, 8, 8>;

constexpr auto const& answering = esp::prediction_plan<Net, one>;
constexpr auto const& learning = esp::training_plan<Net, nn::SoftmaxLoss, esp::optim::SGD<>, batch>;

static_assert(esp::output_shape<Net, one> == esp::shape<1, 10>{});
static_assert(esp::parameter_count<Net> == (64 * 100 + 100) + (100 + 100) + (100 * 10 + 10));

// What answering takes beside the parameters, and what all of it takes.
static_assert(answering.workspace_bytes <= 1024);
static_assert(answering.parameter_bytes + answering.buffer_bytes + answering.workspace_bytes <= 32 * 1024);
// A step of training: activations, their gradients and temporaries.
static_assert(learning.workspace_bytes <= 32 * 1024);
// Time is bounded as well: so many operations, so many bytes from memory.
static_assert(answering.flops < 17'000 && answering.bytes_moved < 32 * 1024);

// The memory itself: nothing comes from a heap.
esp::bytes<esp::model<Net>::bytes> model_room;
esp::bytes<esp::predictor<esp::model<Net>, one>::bytes> workspace_room;
static_assert(sizeof model_room + sizeof workspace_room <= 32 * 1024);

int main(int count, char** words) {
  esp::model<Net> const model{esp::seed{0}, model_room};
  esp::predictor classify{model, one{}, workspace_room};
  esp::tensor<float, one> image;
  esp::tensor<float, esp::shape<1, 10>> scores;
  classify(image, scores);

  examples::recorded out;
  auto const print = [&](char const* what, auto number) { out.print("%-36s %7d\n", what, static_cast<int>(number)); };
  print("parameters", answering.parameter_count);
  print("bytes of parameters", answering.parameter_bytes);
  print("answering: bytes of workspace", answering.workspace_bytes);
  print("answering: bytes live at once", answering.peak_live_bytes);
  print("answering: kernels", answering.kernel_count);
  print("answering: operations", answering.flops);
  print("answering: bytes moved", answering.bytes_moved);
  print("learning: bytes of workspace", learning.workspace_bytes);
  print("learning: bytes live at once", learning.peak_live_bytes);
  print("learning: operations", learning.flops);
  print("bytes of static storage", sizeof model_room + sizeof workspace_room);
  return out.finish(count, words);
}

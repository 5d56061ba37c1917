// SPDX-License-Identifier: BSL-1.0
// expect: a net with a loop \(RNN, LSTM, GRU, scan, repeat\) cannot be quantized
// expect: quantizes_without_loops
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::LastOutput<nn::GRU<8, 4, nn::gru{.batch_first = true}>>, nn::Linear<4, 2>>;
#else
using Net = nn::Sequential<nn::Flatten, nn::Linear<5 * 8, 2>>;
#endif

void f(esp::model<Net> const& model) { esp::calibration ranges{model, esp::batch<32, 5, 8>{}}; }

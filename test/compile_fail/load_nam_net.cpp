// SPDX-License-Identifier: BSL-1.0
// expect: io::load_nam\(path, model\): files of Neural Amp Modeler have nn::nam::WaveNet, with an activation that they name, and nn::nam::LSTM
// expect: form_in_nam<
// expect-26: got LSTM<1, 8>
#include <espalier/io/nam.hpp>
#include <espalier/nn/nam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
void f(esp::model<nn::LSTM<1, 8>>& model) { esp::io::load_nam("amp.nam", model); }
#else
void f(esp::model<nn::nam::LSTM<8>>& model) { esp::io::load_nam("amp.nam", model); }
#endif

// SPDX-License-Identifier: BSL-1.0
// The same WaveNet in NeuralAudio, with its approximation of tanh, which is its default. Needs
// -Dneuralaudio_dir=FOLDER, the folder of a checkout with its submodules.
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <vector>

#include <NeuralAudio/WaveNet.h>

#include <cstring>
#include <memory>

#include "pedals.hpp"

namespace {

using namespace bench;

using kernels = NeuralAudio::KernelSizes<3, 3, 3, 3, 3, 3, 3, 3, 3, 3>;
using dilations = NeuralAudio::Dilations<1, 2, 4, 8, 16, 32, 64, 128, 256, 512>;
using net = NeuralAudio::WaveNetModelT<
    float, NeuralAudio::WaveNetLayerArrayT<float, 1, 1, 8, 1, 1, 16, kernels, dilations, false, EActivationType::Tanh>,
    NeuralAudio::WaveNetLayerArrayT<float, 16, 1, 1, 1, 1, 8, kernels, dilations, true, EActivationType::Tanh>>;

work prepare(operands o) {
  auto const pedal = std::make_shared<net>();
  std::vector<float> numbers(o.in[1], o.in[1] + pedal_numbers);
  numbers.push_back(pedal_head_scale);
  pedal->SetWeights(numbers);
  return {repeated([=] {
    for (int i = 0; i < pedal_samples; i += pedal_block) pedal->Process(o.in[0] + i, o.out[0], pedal_block);
  })};
}

implementation const own{pedal_row, "neuralaudio", prepare};

}  // namespace

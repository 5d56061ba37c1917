// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <vector>

#include "harness.hpp"
/// The WaveNet "standard" of Neural Amp Modeler, in blocks of 64 samples as an audio driver calls it. A run is longer
/// than the receptive field, so that its last block does not depend on what came before the run. Operands: the samples,
/// then the numbers of a .nam file in its order -> the last block.
namespace bench {

inline constexpr int pedal_block = 64, pedal_samples = 4096, pedal_numbers = 13801;
inline constexpr char const* pedal_row = "pedal/nam_standard";
inline constexpr float pedal_head_scale = 0.02f;

inline std::vector<input> pedal_in() { return {{pedal_samples, -.5f, .5f}, {pedal_numbers, -.3f, .3f}}; }
/// NeuralAudio approximates tanh.
inline std::vector<output> pedal_out() { return {{pedal_block, 1e-2}}; }

}  // namespace bench

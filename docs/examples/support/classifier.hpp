// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>
#if defined(ESPALIER_DIGITS_CUDA)
#include <espalier/cuda.hpp>
#endif

/// What the program digits trains, for its two files.
namespace digits {

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

// One line changes the normalisation of a whole net: the programs digits and digits_layernorm are the same source.
#if defined(ESPALIER_DIGITS_LAYERNORM)
using Norm = nn::use_layer_norm;
#else
using Norm = nn::use_batch_norm;
#endif

// And one chooses the device: the program digits_cuda is this source, too.
#if defined(ESPALIER_DIGITS_CUDA)
using Device = esp::cuda;
#else
using Device = esp::cpu;
#endif

using Classifier = nn::Sequential<nn::Flatten, nn::MLPResNet<8 * 8, 64, 3, 10, Norm>>;
using batch = esp::batch<32, 8, 8>;

using Model = esp::model<Classifier, Device>;
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, optim::Adam, batch>;

// Files of weights are JSON at their beginning, whose header costs more to compile than all of the training: they have
// a file of their own, digits_files.cpp.
#if defined(ESPALIER_DIGITS_FILES)
inline constexpr bool has_files = true;
#else
inline constexpr bool has_files = false;
#endif
void save(char const* path, Model& model, Trainer& trainer);
void load(char const* path, Model& model, Trainer& trainer);

}  // namespace digits

// SPDX-License-Identifier: BSL-1.0
// How the program digits saves and loads: a part of digits.cpp that is compiled by itself.
#include <espalier/io/safetensors.hpp>

#include "support/classifier.hpp"

namespace io = espalier::io;

void digits::save(char const* path, Model& model, Trainer& trainer) { io::save_safetensors(path, model, trainer); }
void digits::load(char const* path, Model& model, Trainer& trainer) { io::load_safetensors(path, model, trainer); }

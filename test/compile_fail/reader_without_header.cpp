// SPDX-License-Identifier: BSL-1.0
// expect: load_npz: include <espalier/io/npz.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/io/npz.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

esp::model<nn::Sequential<nn::Linear<8, 4>>> model{esp::seed{1}};
void load() { esp::io::load_npz("net.npz", model); }

// SPDX-License-Identifier: BSL-1.0
// expect: up_to<N>: include <espalier/up_to.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/up_to.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

esp::model<nn::Sequential<nn::Linear<8, 4>>> model{esp::seed{1}};
esp::predictor predictor{model, esp::batch<esp::up_to<64>, 8>{}};

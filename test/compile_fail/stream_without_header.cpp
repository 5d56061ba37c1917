// SPDX-License-Identifier: BSL-1.0
// expect: stream: include <espalier/stream.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/stream.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

esp::model<nn::Sequential<nn::Linear<8, 4>>> model{esp::seed{1}};
esp::stream stream{model, esp::batch<1, 16, 8>{}, esp::time_axis<1>{}};

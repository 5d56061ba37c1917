// SPDX-License-Identifier: BSL-1.0
// expect: constant_model: include <espalier/model/constant_model.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/model/constant_model.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

constexpr esp::constant_model<nn::Linear<8, 4>> model{esp::seed{1}};

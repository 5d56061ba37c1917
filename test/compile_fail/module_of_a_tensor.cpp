// SPDX-License-Identifier: BSL-1.0
// expect: module\(x...\): the tensors do not fit this module
// expect: MaxPool2d
// lines: 12
#include <espalier/expression/call.hpp>
#include <espalier/eager/evaluate.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using signals = esp::tensor<float, esp::shape<2, 3, 8>>;
using images = esp::tensor<float, esp::shape<2, 3, 1, 8>>;
#ifdef SHOULD_FAIL
float f(signals const& x, images const&) { return esp::evaluate(nn::MaxPool2d<{1, 2}>{}(x))[0]; }
#else
float f(signals const&, images const& x) { return esp::evaluate(nn::MaxPool2d<{1, 2}>{}(x))[0]; }
#endif

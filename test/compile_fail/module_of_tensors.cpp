// SPDX-License-Identifier: BSL-1.0
// expect: module\(x...\): the tensors do not fit this module
// expect: CrossEntropyLoss
// lines: 12
#include <espalier/expression/call.hpp>
#include <espalier/eager/evaluate.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// (samples, steps, classes): the classes are on axis 1.
using scores = esp::tensor<float, esp::shape<2, 5, 4>>;
#ifdef SHOULD_FAIL
using labels = esp::tensor<std::int32_t, esp::shape<2, 5>>;
#else
using labels = esp::tensor<std::int32_t, esp::shape<2, 4>>;
#endif
esp::tensor<float, esp::shape<>> f(scores const& z, labels const& y) { return nn::CrossEntropyLoss<>{}(z, y) * 2; }

// SPDX-License-Identifier: BSL-1.0
// expect: class labels are an argument of std::int32_t, tensor<std::int32_t, S>; float and double are no labels
// lines: 12
#include <espalier/graph/sound.hpp>
#include <espalier/eager/gradient.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using scores = esp::tensor<float, esp::shape<2, 4>>;
#ifdef SHOULD_FAIL
using labels = esp::tensor<float, esp::shape<2>>;
#else
using labels = esp::tensor<std::int32_t, esp::shape<2>>;
#endif
inline constexpr auto loss = [](auto z, auto y) { return nn::CrossEntropyLoss<>{}(z, y); };
scores f(scores const& z, labels const& y) { return esp::grad<0>(loss)(z, y); }

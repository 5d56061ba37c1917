// SPDX-License-Identifier: BSL-1.0
// expect: evaluate\(expression\): operands are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/evaluate.hpp>
#include <espalier/nn/cross_entropy_loss.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using scores = esp::tensor<float, esp::shape<4, 10>, esp::simulated_cuda>;
using labels_on_host = esp::tensor<std::int32_t, esp::shape<4>>;
using labels = esp::tensor<std::int32_t, esp::shape<4>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
auto f(scores const& z, labels_on_host const& y) { return esp::evaluate(esp::nn::CrossEntropyLoss<>{}(z, y)); }
#else
auto f(scores const& z, labels_on_host const& y) { return esp::evaluate(esp::nn::CrossEntropyLoss<>{}(z, labels(y))); }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: cross_entropy\(z, labels, weight\): operands are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using scores = esp::tensor<float, esp::shape<4, 10>, esp::simulated_cuda>;
using labels = esp::tensor<std::int32_t, esp::shape<4>, esp::simulated_cuda>;
using weights_on_host = esp::tensor<float, esp::shape<10>>;
using weights = esp::tensor<float, esp::shape<10>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
auto f(scores const& z, labels const& y, weights_on_host const& w) { return esp::evaluate(cross_entropy(z, y, w)); }
#else
auto f(scores const& z, labels const& y, weights_on_host const& w) {
  return esp::evaluate(cross_entropy(z, y, weights(w)));
}
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: conv1d\(x, w\): operands are on different devices
// expect: same_device<(espalier::)?simulated_cuda, (espalier::)?cpu>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
using signals = esp::tensor<float, esp::shape<2, 8, 3>, esp::simulated_cuda>;
using kernels_on_host = esp::tensor<float, esp::shape<3, 3, 4>>;
using kernels = esp::tensor<float, esp::shape<3, 3, 4>, esp::simulated_cuda>;

#ifdef SHOULD_FAIL
auto f(signals const& x, kernels_on_host const& w) { return esp::evaluate(conv1d(x, w)); }
#else
auto f(signals const& x, kernels_on_host const& w) { return esp::evaluate(conv1d(x, kernels(w))); }
#endif

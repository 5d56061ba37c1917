// SPDX-License-Identifier: BSL-1.0
// expect: update\(p, g, states...\): it is the formula of one step; .* step by gradients of your own with optim::updater
// lines: 10
#include <espalier.hpp>

namespace optim = espalier::optim;
using numbers = espalier::tensor<float, espalier::shape<4>>;

#ifdef SHOULD_FAIL
auto f(numbers const& p, numbers const& g) { return optim::SGD<optim::damped>::update(p, g); }
#else
auto f(numbers const& p, numbers const& g, numbers const& u) { return optim::SGD<optim::damped>::update(p, g, u); }
#endif

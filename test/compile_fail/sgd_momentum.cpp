// SPDX-License-Identifier: BSL-1.0
// expect: momentum must be optim::no_momentum, optim::damped, optim::heavy_ball or optim::nesterov
// expect-early: float
#include <espalier/optim/sgd.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::SGD<float> sgd{.learning_rate = 0.1, .momentum = 0.9f};
#else
optim::SGD<optim::damped> sgd{.learning_rate = 0.1, .momentum = {0.9}};
#endif

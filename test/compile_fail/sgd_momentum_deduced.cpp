// SPDX-License-Identifier: BSL-1.0
// expect: momentum must be optim::no_momentum, optim::damped, optim::heavy_ball or optim::nesterov
// expect-early: double
#include <espalier/optim/sgd.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::SGD sgd{.learning_rate = 0.1, .momentum = 0.9};
#else
optim::SGD sgd{.learning_rate = 0.1, .momentum = optim::nesterov{0.9}};
#endif

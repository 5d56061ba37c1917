// SPDX-License-Identifier: BSL-1.0
// expect: optim::amsgrad\{optimizer\}: the optimizer must be optim::Adam or optim::AdamW
// expect: is_adam<espalier::optim::SGD
// expect-early: SGD<
// expect-26: the optimizer must be optim::Adam or optim::AdamW; got SGD
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::amsgrad<optim::SGD<>> optimizer{};
#else
optim::amsgrad<optim::AdamW> optimizer{};
#endif

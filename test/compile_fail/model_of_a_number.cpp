// SPDX-License-Identifier: BSL-1.0
// expect-early: model\{...\}: the first argument must be a seed, and the net a template argument; write model<Net> m\{seed\{1\}\}
// expect: begins_with_a_seed<int>
// expect-26: int32 is not a seed
#include <espalier/model/model.hpp>
#include <espalier/nn/linear.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Linear<4, 3>> model{42};
#else
esp::model<nn::Linear<4, 3>> model{esp::seed{42}};
#endif

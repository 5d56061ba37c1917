// SPDX-License-Identifier: BSL-1.0
// expect-early: model\{...\}: the first argument must be a seed, and the net a template argument; write model<Net> m\{seed\{1\}\}
// expect: begins_with_a_seed<
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
auto f() { return esp::model{nn::Linear<4, 3>{}, esp::seed{1}}.parameter_count; }
#else
auto f() { return esp::model<nn::Linear<4, 3>>{esp::seed{1}}.parameter_count; }
#endif

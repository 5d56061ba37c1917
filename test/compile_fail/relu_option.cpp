// SPDX-License-Identifier: BSL-1.0
// expect: relu\(x\) has one operand and no options; nothing is computed in place, and there is no inplace=True
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

auto apply(esp::tensor<float, esp::shape<4, 8>> const& x) {
#ifdef SHOULD_FAIL
  auto const y = relu(x, true);
#else
  auto const y = relu(x);
#endif
  return esp::tensor<float, esp::shape<4, 8>>{y * 2};
}

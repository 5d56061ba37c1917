// SPDX-License-Identifier: BSL-1.0
// expect: evaluate\(formula\): the formula has no numbers; .*inside `forward` write `auto` for a value
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return relu(evaluate(a(x))); }
};
#else
struct Net {
  nn::Linear<4, 4> a;
  ESPALIER_MODULE(Net, a)
  constexpr auto forward(auto x) const { return relu(a(x)); }
};
#endif

static_assert(esp::output_shape<Net, esp::shape<8, 4>> == esp::shape<8, 4>{});

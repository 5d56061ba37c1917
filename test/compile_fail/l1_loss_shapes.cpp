// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x\.\.\.\): the shapes inside f do not fit
// expect: same_shape<(espalier::)?shape<4, 2>, (espalier::)?shape<4, 3> ?>
// expect-early: shape<4, 2>
// expect-early: shape<4, 3>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

inline constexpr auto loss = [](auto z, auto y) { return nn::L1Loss<>{}(z, y); };
using X = esp::tensor<float, esp::shape<4, 2>>;
using Y = esp::tensor<float, esp::shape<4, 3>>;

#ifdef SHOULD_FAIL
auto f(X const& z, Y const& y) { return esp::grad(loss)(z, y); }
#else
auto f(X const& z, X const& y) { return esp::grad(loss)(z, y); }
#endif

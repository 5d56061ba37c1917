// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: rectified_features<4, 3>
// expect-26: expected 4 features, got 3
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::PReLU<4>;
#else
using Net = nn::PReLU<3>;
#endif
auto f(esp::model<Net>& model, esp::tensor<float, esp::batch<2, 5, 3>> const& x) { return model(x); }

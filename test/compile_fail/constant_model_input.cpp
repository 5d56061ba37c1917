// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<1, 3>, (espalier::)?shape<2, 4> ?>
// expect-early: shape<1, 3>
// expect-early: shape<2, 4>
#include <espalier/model/constant_model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
constexpr esp::constant_model<nn::Linear<2, 4>> net{esp::seed{1}};

#ifdef SHOULD_FAIL
auto scores() { return net(esp::tensor<float, esp::shape<1, 3>>{{1, 2, 3}}); }
#else
auto scores() { return net(esp::tensor<float, esp::shape<1, 2>>{{1, 2}}); }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: frozen\(x, scores\): a result is const and cannot be written; pass a tensor or view of non-const elements
// expect: can_be_written<
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 2>;
using x_type = esp::tensor<float, esp::shape<3, 4>>;
using y_type = esp::tensor<float, esp::shape<3, 2>>;

#ifdef SHOULD_FAIL
void f(esp::frozen<esp::model<Net>, esp::batch<3, 4>>& p, x_type const& x, y_type const& y) { p(x, y); }
#else
void f(esp::frozen<esp::model<Net>, esp::batch<3, 4>>& p, x_type const& x, y_type& y) { p(x, y); }
#endif

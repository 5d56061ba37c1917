// SPDX-License-Identifier: BSL-1.0
// expect: a value of the net has more than 2\^31 - 1 elements for the numbers of samples that up_to<N> is traced for
// expect-early: shape<-?[0-9]+, 9000000>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;

struct Net {
  ESPALIER_MODULE(Net)
  constexpr auto forward(auto x) const { return esp::sum<1>(x * x); }
};

#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<235>, 9000000>;
#else
using batch = esp::batch<esp::up_to<200>, 9000000>;
#endif
void f(esp::model<Net> const& model) { esp::predictor predict{model, batch{}}; }

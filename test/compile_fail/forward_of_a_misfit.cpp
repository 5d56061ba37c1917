// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: inner_dimensions<(espalier::)?shape<2, 7>, (espalier::)?shape<8, 16> ?>
// A body may call a module's forward itself: an invalid value then reaches it.
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Net {
  nn::Linear<8, 16> linear{};
  nn::Flatten flatten{};
  nn::BatchNorm<16> norm{};
  ESPALIER_MODULE(Net, linear, flatten, norm)
  constexpr auto forward(auto x) const { return norm.forward(flatten.forward(linear.forward(x))); }
};
#ifdef SHOULD_FAIL
using Batch = esp::batch<2, 7>;
#else
using Batch = esp::batch<2, 8>;
#endif

void f(esp::model<Net>& model) { esp::predictor predict{model, Batch{}}; }

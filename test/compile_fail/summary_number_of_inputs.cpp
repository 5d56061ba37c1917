// SPDX-License-Identifier: BSL-1.0
// expect: a module got another number of inputs than its `forward` takes
// expect: forward_takes<Distance, 2, 1>
// expect-26: ; forward of Distance takes 2 inputs, got 1, in Distance
// lines: 12
#include <espalier/report/summary.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Distance {
  nn::Linear<8, 4> layer;
  ESPALIER_MODULE(Distance, layer)
  constexpr auto forward(auto a, auto b) const { return square(layer(a) - layer(b)); }
};
#ifdef SHOULD_FAIL
using Input = esp::batch<2, 8>;
#else
using Input = esp::shapes<esp::batch<2, 8>, esp::batch<2, 8>>;
#endif
auto f() { return esp::summary<Distance, Input>(); }

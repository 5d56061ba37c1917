// SPDX-License-Identifier: BSL-1.0
// expect: (no member named 'relu' in|has no member named)
// expect: block
// lines: 12
// A value of a formula has no member functions; ops are functions of the namespace. Where the user's own body is wrong,
// that is the only error.
#include <espalier/model/output_shape.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct block {
  nn::Linear<4, 4> first;
  ESPALIER_MODULE(block, first)
#ifdef SHOULD_FAIL
  constexpr auto forward(auto x) const { return first(x).relu(); }
#else
  constexpr auto forward(auto x) const { return esp::relu(first(x)); }
#endif
};

static_assert(esp::output_shape<block, esp::shape<2, 4>> == esp::shape<2, 4>{});

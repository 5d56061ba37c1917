// SPDX-License-Identifier: BSL-1.0
// expect: f returns tensors of at most 5 axes
// expect: batched_rank<(espalier::)?shape<2, 2, 2, 2, 2, 2> ?>
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Input = esp::tensor<float, esp::shape<4, 64>>;

#ifdef SHOULD_FAIL
inline constexpr auto folded = [](auto x) { return reshape<2, 2, 2, 2, 2, 2>(x); };
#else
inline constexpr auto folded = [](auto x) { return reshape<2, 2, 2, 2, 4>(x); };
#endif
auto f(Input const& x) { return esp::vmap(folded)(x); }

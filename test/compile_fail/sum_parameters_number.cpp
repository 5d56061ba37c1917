// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: returns_number<
// net: espalier::nn::Linear<4, [35](, espalier::nn::with_bias)?>
#include <espalier/model/map_parameters.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
inline constexpr auto square = [](auto p) { return p * p; };
#else
inline constexpr auto square = [](auto p) { return sum(p * p); };
#endif

inline constexpr auto penalty = [](auto net) { return esp::sum_parameters(square, net); };
auto f(esp::model<Net>& model) { return esp::value_and_grad(penalty)(model); }

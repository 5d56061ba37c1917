// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: names_a_parameter<
// net: espalier::nn::Linear<4, [35](, espalier::nn::with_bias)?>
#include <espalier/model/parameter_of.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
inline constexpr auto penalty = [](auto net) { return sum(esp::parameter_of<"weights">(net)); };
#else
inline constexpr auto penalty = [](auto net) { return sum(esp::parameter_of<"weight">(net)); };
#endif
auto f(esp::model<Net>& model) { return esp::value_and_grad(penalty)(model); }

// SPDX-License-Identifier: BSL-1.0
// expect: f returns tensors of at most 5 axes; of the gradients of a model it returns those it needs
// expect: returns_tensors<espalier::nn::Linear<4, 3
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Input = esp::tensor<float, esp::shape<8, 4>>;
inline constexpr auto loss = [](auto net, auto x) { return sum(net(reshape<1, 4>(x))); };

#ifdef SHOULD_FAIL
inline constexpr auto by_sample = [](auto net, auto x) { return esp::grad<0>(loss)(net, x); };
#else
inline constexpr auto by_sample = [](auto net, auto x) {
  return esp::parameter_of<"weight">(esp::grad<0>(loss)(net, x));
};
#endif
auto f(esp::model<nn::Linear<4, 3>>& model, Input const& x) { return esp::vmap<1>(by_sample)(model, x); }

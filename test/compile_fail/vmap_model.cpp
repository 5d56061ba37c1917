// SPDX-License-Identifier: BSL-1.0
// expect: a mapped argument is a tensor; models are shared by all samples
// expect: mapped_tensors<espalier::nn::Linear<4, 3
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Input = esp::tensor<float, esp::shape<8, 4>>;
inline constexpr auto scores = [](auto net, auto x) { return net(reshape<1, 4>(x)); };

#ifdef SHOULD_FAIL
auto f(esp::model<nn::Linear<4, 3>>& model, Input const& x) { return esp::vmap<0, 1>(scores)(model, x); }
#else
auto f(esp::model<nn::Linear<4, 3>>& model, Input const& x) { return esp::vmap<1>(scores)(model, x); }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: BatchNorm cannot learn from one value per channel; train with larger batches, or write evaluate\(net, x\)
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::BatchNorm1d<8>;

#ifdef SHOULD_FAIL
constexpr auto scores = [](auto const& net, auto x) { return net(esp::reshape<1, 8>(x)); };
#else
constexpr auto scores = [](auto const& net, auto x) { return evaluate(net, esp::reshape<1, 8>(x)); };
#endif

auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<3, 8>> const& x) { return esp::vmap<1>(scores)(model, x); }

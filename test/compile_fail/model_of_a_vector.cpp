// SPDX-License-Identifier: BSL-1.0
// expect: model\(x\): x is a tensor or view; of an expression write model\(evaluate\(x\)\), of a range model\(view<T const, shape<N, ...>>\(x\)\)
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, std::vector<float> const& x) { return model(x); }
#else
auto f(esp::model<Net>& model, std::vector<float> const& x) {
  return model(esp::view<float const, esp::shape<32, 8, 8>>(x));
}
#endif

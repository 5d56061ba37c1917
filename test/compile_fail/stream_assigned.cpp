// SPDX-License-Identifier: BSL-1.0
// expect: a stream is not assigned: s.restore\(other.save\(\)\) copies it
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<2, 3>;

void f(esp::model<Net> const& model) {
  esp::stream a{model, esp::batch<1, 8, 2>{}};
  esp::stream b{model, esp::batch<1, 8, 2>{}};
#ifdef SHOULD_FAIL
  a = b;
#else
  a.restore(b.save());
#endif
}

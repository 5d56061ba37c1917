// SPDX-License-Identifier: BSL-1.0
// expect: vmap\(f\): f is the name of a function; write a lambda
#include <espalier/eager/vmap.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Rows = esp::tensor<float, esp::shape<8, 3>>;
float size(Rows const& x);

#ifdef SHOULD_FAIL
auto f(Rows const& x) { return esp::vmap(size)(x); }
#else
auto f(Rows const& x) {
  return esp::vmap([](auto a) { return sum(a * a); })(x);
}
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: model.for_each_parameter\(f\): f must accept three arguments: f\(char const\* name, esp::extents const& shape, esp::span<T> values\)
// expect-early: accepts_tensors<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;
using Net = nn::Linear<8, 3>;

void f(esp::model<Net>& model) {
#ifdef SHOULD_FAIL
  model.for_each_parameter([](char const*, auto values) { values[0] = 1; });
#else
  model.for_each_parameter([](char const*, auto const&, auto values) { values[0] = 1; });
#endif
}

// SPDX-License-Identifier: BSL-1.0
// expect: split<axis, n>\(x\): one section of n elements is shorter than the axis; for two parts write both extents
// expect: fills_axis<(espalier::)?shape<8, 4>, (espalier::)?along<-1>, (espalier::)?to<2> ?>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using esp::shape, esp::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<8, 2>> f(tensor<float, shape<8, 4>> const& x) {
  auto const [a, b] = esp::split<-1, 2>(x);
  return a * b;
}
#else
tensor<float, shape<8, 2>> f(tensor<float, shape<8, 4>> const& x) {
  auto const [a, b] = esp::split<-1, 2, 2>(x);
  return a * b;
}
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: rms_normalize<axes>\(x, eps\): an axis does not exist in the shape, or is named twice
// expect: axes_exist<(espalier::)?shape<8, 13>, (espalier::)?axes<2> ?>
#include <espalier/operation/rms_normalize.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& x) { return espalier::rms_normalize<2>(x, 1e-5); }
#else
auto f(tensor<float, shape<8, 13>> const& x) { return espalier::rms_normalize<1>(x, 1e-5); }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: global_average_pool\(x\): images have four axes
// expect-early: images<(espalier::)?shape<7, 3> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<7, 3>> const& x) { return global_average_pool(x); }
#else
auto f(tensor<float, shape<1, 1, 7, 3>> const& x) { return global_average_pool(x); }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: all_close\(a, b\): both must have the same shape
// expect-early: shape<3>
// expect-early: shape<2>
#include <espalier/storage/all_close.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
bool f(tensor<float, shape<3>> const& a, tensor<float, shape<2>> const& b) { return all_close(a, b); }
#else
bool f(tensor<float, shape<3>> const& a, tensor<float, shape<3>> const& b) { return all_close(a, b); }
#endif

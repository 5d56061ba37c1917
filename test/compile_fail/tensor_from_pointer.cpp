// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(pointer\): a pointer has no number of elements
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(float const* numbers) { return tensor<float, shape<2, 3>>(numbers); }
#else
auto f(float const* numbers) { return tensor<float, shape<2, 3>>(espalier::view<float const, shape<2, 3>>(numbers)); }
#endif

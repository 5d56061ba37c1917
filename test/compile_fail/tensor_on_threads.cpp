// SPDX-License-Identifier: BSL-1.0
// expect: threads share the host's memory; write tensor<T, S>
// expect-early: cpu_parallel<2>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
tensor<float, shape<3>, espalier::cpu_parallel<2>> x;
#else
tensor<float, shape<3>> x;
#endif

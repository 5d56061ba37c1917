// SPDX-License-Identifier: BSL-1.0
// expect: S is an espalier::shape
// expect-early: tensor<float, int
// expect-26: tensor<float, shape<8, 4>>; got int32
#include <espalier/storage/tensor.hpp>

#if defined(SHOULD_FAIL)
espalier::tensor<float, int> x;
#else
espalier::tensor<float, espalier::shape<3>> x;
#endif

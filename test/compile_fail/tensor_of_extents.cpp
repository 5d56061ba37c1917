// SPDX-License-Identifier: BSL-1.0
// expect: tensor<T, S>: S is an espalier::shape<...>; the shape is part of the type: tensor<float, shape<8, 4>>
// expect-early: shape_of_numbers
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::tensor x(8, 4);
#else
esp::tensor<float, esp::shape<8, 4>> x;
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: tensor = range: the range has another element type; convert with tensor = tensor<T, S>\(range\)
// expect: element_is<double, float>
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
void f(tensor<float, shape<2, 3>>& t, std::vector<double> const& numbers) { t = numbers; }
#else
void f(tensor<float, shape<2, 3>>& t, std::vector<double> const& numbers) { t = tensor<float, shape<2, 3>>(numbers); }
#endif

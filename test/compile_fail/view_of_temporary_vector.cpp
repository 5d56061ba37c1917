// SPDX-License-Identifier: BSL-1.0
// expect: view\(range\): the range is a temporary, which is destroyed before the view; store it in a variable, or copy it: tensor<T, S>\(range\)
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;

std::vector<float> read();

#ifdef SHOULD_FAIL
auto f() { return espalier::view<float const, shape<2, 3>>(read()); }
#else
auto f() { return espalier::tensor<float, shape<2, 3>>(read()); }
#endif

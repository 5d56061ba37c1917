// SPDX-License-Identifier: BSL-1.0
// expect: esp::cat has another name here: write concatenate<0>\(a, b\), with the axis in angle brackets|no member named 'cat'
#include <espalier.hpp>

namespace esp = espalier;

esp::tensor<float, esp::shape<2, 3>> const a{}, b{};
#ifdef SHOULD_FAIL
auto const both = esp::cat({a, b}, 0);
#else
auto const both = esp::concatenate<0>(a, b);
#endif

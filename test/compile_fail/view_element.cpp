// SPDX-License-Identifier: BSL-1.0
// expect: view<T, S>: T is float, double, half, bfloat16, std::int32_t or bool
// expect-early: view<(char|const char|char const)
#include <espalier/storage/view.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
auto f(char* at) { return view<char, shape<3>>{at}; }
#else
auto f(float* at) { return view<float, shape<3>>{at}; }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: view\(range\): the elements must be contiguous numbers
#include <list>
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
auto f(std::list<float>& numbers) { return view<float, shape<2, 3>>(numbers); }
#else
auto f(std::vector<float>& numbers) { return view<float, shape<2, 3>>(numbers); }
#endif

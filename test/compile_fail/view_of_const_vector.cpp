// SPDX-License-Identifier: BSL-1.0
// expect: view\(range\): the elements of the range are const; write view<T const, S>
// expect: may_be_written<.*float.*float>
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
auto f(std::vector<float> const& numbers) { return view<float, shape<2, 3>>(numbers); }
#else
auto f(std::vector<float> const& numbers) { return view<float const, shape<2, 3>>(numbers); }
#endif

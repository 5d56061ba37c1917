// SPDX-License-Identifier: BSL-1.0
// expect: to_dlpack\(x\): the elements of x are const, and other libraries may write them
#include <espalier/io/dlpack.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
auto* lent(esp::tensor<float, esp::shape<3>> const& x) { return esp::io::to_dlpack(x); }
#else
auto* lent(esp::tensor<float, esp::shape<3>>& x) { return esp::io::to_dlpack(x); }
#endif

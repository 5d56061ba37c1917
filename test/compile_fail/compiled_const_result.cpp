// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(x..., y...\): a result is const and cannot be written; pass a tensor or view of non-const elements
// expect: can_be_written<
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using x_type = esp::tensor<float, esp::shape<3, 4>>;
struct doubled {
  constexpr auto operator()(auto x) const { return 2 * x; }
};

#ifdef SHOULD_FAIL
void f(x_type const& x, x_type const& y) { esp::compiled{doubled{}, x}(x, y); }
#else
void f(x_type const& x, x_type& y) { esp::compiled{doubled{}, x}(x, y); }
#endif

// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): the members of a struct of tensors are tensors, views, constant\(x\), and structs of these
// expect: members_are_tensors<.*pair
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<3>>;

#ifdef SHOULD_FAIL
using Step = double;
#else
using Step = esp::tensor<double, esp::shape<>>;
#endif

void f(vector const& x, Step const& h) {
  esp::compiled run{[](auto s) { return s.first * s.second; }, std::pair{x, h}};
}

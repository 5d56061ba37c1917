// SPDX-License-Identifier: BSL-1.0
// expect: grad\(f\)\(x...\), value_and_grad, vjp: the members of a struct of tensors are tensors, views, constant\(x\), and structs of these
// expect: members_are_tensors<.*named
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<>>;

template <class Value, class Name>
struct named {
  Value value;
  Name name;
};

#ifdef SHOULD_FAIL
using Name = char const*;
#else
using Name = vector;
#endif

auto f(named<vector, Name> const& x) {
  return esp::grad([](auto s) { return s.value; })(x);
}

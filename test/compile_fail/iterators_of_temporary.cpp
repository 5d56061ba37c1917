// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: x.begin\(\): the tensor is a temporary, which is destroyed before its iterators; store it in a variable: auto const x = f\(...\)
#include <vector>

#include <espalier/storage/tensor.hpp>

espalier::tensor<float, espalier::shape<2, 3>> read();

std::vector<float> f() {
#ifdef SHOULD_FAIL
  return {read().begin(), read().end()};
#else
  auto const x = read();
  return {x.begin(), x.end()};
#endif
}

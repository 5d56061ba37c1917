// SPDX-License-Identifier: BSL-1.0
// expect: tensor<T, S>: S is an espalier::shape<...>
// expect: shape_of_a_range
#include <vector>

#include <espalier/storage/tensor.hpp>

#ifdef SHOULD_FAIL
auto f(std::vector<float> const& numbers) {
  espalier::tensor t = numbers;
  return t;
}
#else
auto f(std::vector<float> const& numbers) {
  espalier::tensor<float, espalier::shape<2, 3>> t = numbers;
  return t;
}
#endif

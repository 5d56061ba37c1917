// SPDX-License-Identifier: BSL-1.0
// expect: scatter_add<axis>\(x, index, source\): operands mix float and double; convert one with tensor<double, S>\(x\)
// expect: same_element<float, double>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;
using places = tensor<std::int32_t, shape<6, 8>>;

auto f(tensor<float, shape<4, 8>> const& x, places const& i, tensor<double, shape<6, 8>> const& source) {
#ifdef SHOULD_FAIL
  return scatter_add<0>(x, i, source);
#else
  return evaluate(scatter_add<0>(x, i, tensor<float, shape<6, 8>>(source)));
#endif
}

// SPDX-License-Identifier: BSL-1.0
// Shapes are types: what ops and layers make of them is computed by the compiler, checked there, and printed.
//   shape_algebra [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape;

/// A value of a shape that belongs to no program: formulas of it have a type, and this file reads nothing else.
template <int... N>
constexpr esp::traced<shape<N...>> a{};
template <int... N>
constexpr bool is(auto const& formula) {
  return std::is_same_v<esp::shape_of<decltype(formula)>, shape<N...>>;
}

// Elementwise: equal shapes, or one operand that already has the result's. Axes count from the end.
static_assert(is<32, 10>(a<32, 10> + a<32, 10>) && is<32, 10>(a<32, 10> * a<10>) && is<32, 10>(a<32, 1> - a<32, 10>) &&
              is<2, 3>(a<2, 3> / 2));
// Products: rows and columns; leading axes are a batch, and broadcast.
static_assert(is<32, 10>(matmul(a<32, 64>, a<64, 10>)) && is<8, 4, 5>(matmul(a<8, 4, 3>, a<3, 5>)) &&
              is<2, 8, 4, 5>(matmul(a<2, 1, 4, 3>, a<8, 3, 5>)));
// Reductions: the axis that is named goes, or stays as 1; none is all.
static_assert(is<3, 4>(sum<0>(a<2, 3, 4>)) && is<2, 3>(mean<-1>(a<2, 3, 4>)) &&
              is<2, 1, 4>(max<1>(a<2, 3, 4>, esp::keepdims)) && is<>(sum(a<2, 3, 4>)));
// Other shapes of the same elements; one extent is inferred.
static_assert(is<2, 12>(esp::reshape<2, -1>(a<2, 3, 4>)) && is<24, 1>(esp::reshape<-1, 1>(a<2, 3, 4>)) &&
              is<2, 4, 3>(transpose(a<2, 3, 4>)));
static_assert(is<4, 2, 3>(esp::permute<2, 0, 1>(a<2, 3, 4>)) && is<2, 1, 3>(esp::unsqueeze<1>(a<2, 3>)) &&
              is<2, 3>(esp::squeeze<1>(a<2, 1, 3>)));
// Parts and wholes.
static_assert(is<5, 3>(esp::concatenate<0>(a<2, 3>, a<3, 3>)) && is<2, 2, 3>(esp::stack<0>(a<2, 3>, a<2, 3>)));
// Layers and nets, for any batch.
using Classifier =
    nn::Sequential<nn::Conv<3, 8, 3>, nn::ReLU, nn::MaxPool2d<2>, nn::Flatten, nn::Linear<8 * 8 * 8, 10>>;
static_assert(esp::output_shape<nn::Conv<3, 8, 3>, shape<1, 3, 16, 16>> == shape<1, 8, 16, 16>{});
static_assert(esp::output_shape<Classifier, shape<32, 3, 16, 16>> == shape<32, 10>{} &&
              esp::output_shape<nn::ResNet9<10>, shape<1, 3, 32, 32>> == shape<1, 10>{});

/// What does not fit is no shape: an `invalid` type that names the extents. Asked for inside a formula it is silent, so
/// that one mistake is one error.
static_assert(esp::is_invalid<decltype(matmul(a<32, 64>, a<65, 10>))> && esp::is_invalid<decltype(a<64, 1> + a<64>)>);

int main(int count, char** words) {
  examples::recorded out;
  auto const print = [&](char const* title, auto const& formula) {
    esp::extents const s = esp::shape_of<decltype(formula)>::value;
    out.print("%-44s (", title);
    for (int axis = 0; axis < s.rank; ++axis) out.print(axis == 0 ? "%d" : ", %d", s.at[axis]);
    out.print(")\n");
  };
#define PRINT(...) print(#__VA_ARGS__, __VA_ARGS__)
  PRINT(a<32, 10> * a<10>), PRINT(matmul(a<8, 4, 3>, a<3, 5>)), PRINT(max<1>(a<2, 3, 4>, esp::keepdims)),
      PRINT(sum(a<2, 3, 4>));
  PRINT(esp::reshape<2, -1>(a<2, 3, 4>)), PRINT(esp::permute<2, 0, 1>(a<2, 3, 4>)),
      PRINT(esp::stack<0>(a<2, 3>, a<2, 3>)), PRINT(Classifier{}(a<32, 3, 16, 16>));
  return out.finish(count, words);
}

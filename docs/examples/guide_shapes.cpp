// SPDX-License-Identifier: BSL-1.0
// Page 0 of the guide: shapes are types, and what ops make of them is computed by the compiler.
//   guide_shapes [FILE]    prints; with FILE, compares with that file
#include <espalier.hpp>

#include "support/show.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::shape, esp::tensor;

// [shape]
using image = shape<8, 6>;  // eight rows, six columns
static_assert(image::rank == 2 && image::size == 48);
static_assert(image::extent<0>() == 8 && image::extent<-1>() == 6);  // from the front, and from the end
static_assert(shape<>::size == 1);                                   // a scalar has no axes and one element
static_assert(esp::batch<32, 8, 6>{} == shape<32, 8, 6>{});          // a batch is a shape with the samples first
// [/shape]

// [ops]
constexpr tensor<float, shape<2, 3>> matrix{{1, 2, 3}, {4, 5, 6}};
template <class E>
constexpr auto of(E const&) {
  return esp::shape_of<E>{};
}
static_assert(of(sum<1>(matrix)) == shape<2>{});                    // the named axis is gone
static_assert(of(sum<1>(matrix, esp::keepdims)) == shape<2, 1>{});  // or stays with extent 1
static_assert(of(sum(matrix)) == shape<>{});                        // no axis named: all of them
static_assert(of(transpose(matrix)) == shape<3, 2>{});
static_assert(of(esp::reshape<-1, 2>(matrix)) == shape<3, 2>{});  // -1 is what is left: 6 elements, 2 columns
static_assert(of(matmul(matrix, transpose(matrix))) == shape<2, 2>{});
// [/ops]

// [broadcast]
constexpr tensor<float, shape<3>> row{10, 20, 30};
constexpr tensor<float, shape<2, 1>> column{{100}, {200}};
// axes are aligned at the last one; an extent of 1 is repeated
constexpr tensor<float, shape<2, 3>> both = matrix + row + column;
static_assert(both == tensor<float, shape<2, 3>>{{111, 122, 133}, {214, 225, 236}});
// column + row: neither has the result's shape
static_assert(!esp::same_or_broadcast<shape<2, 1>, shape<3>>::agree);
static_assert(of(esp::broadcast_to<shape<2, 3>>(row) + column) == shape<2, 3>{});  // explicitly
// [/broadcast]

// [nets]
using Net = nn::Sequential<nn::Flatten, nn::Linear<48, 16>, nn::ReLU, nn::Linear<16, 10>>;
static_assert(esp::output_shape<Net, esp::batch<32, 8, 6>> == shape<32, 10>{});
static_assert(esp::output_shape<nn::Conv<3, 16, 5, nn::conv{.stride = 2}>, esp::batch<4, 3, 32, 32>> ==
              shape<4, 16, 16, 16>{});
// [/nets]

// [edges]
using signals = esp::batch<4, 3, 100>;  // four signals of 3 channels and 100 samples
template <int Kernel, nn::conv Options>
constexpr auto after = esp::output_shape<nn::Conv1d<3, 16, Kernel, Options>, signals>;
static_assert(after<5, nn::conv{}> == shape<4, 16, 100>{});                         // nn::same: the length stays
static_assert(after<5, nn::conv{.padding = 0}> == shape<4, 16, 96>{});              // whole windows only
static_assert(after<5, nn::conv{.padding = 2}> == shape<4, 16, 100>{});             // two zeros at each end
static_assert(after<4, nn::conv{}> == shape<4, 16, 100>{});                         // one zero ahead, two behind
static_assert(after<5, nn::conv{.stride = 2}> == shape<4, 16, 50>{});               // 100 / 2, rounded up
static_assert(after<5, nn::conv{.padding = {0, 4, 0, 0}}> == shape<4, 16, 100>{});  // top, left, bottom, right
static_assert(after<5, nn::conv{.padding = {0, 8, 0, 0}, .dilation = 2}> == shape<4, 16, 100>{});
// [/edges]

int main(int count, char** words) {
  examples::recorded out;
  // [say]
  examples::show(out, "matrix + row + column", both);
  examples::show(out, "shape of matrix", matrix.shape());
  examples::show(out, "32 images become", esp::output_shape<Net, esp::batch<32, 8, 6>>.value);
  examples::show(out, "kept axis of the sum", tensor<float, shape<2, 1>>{sum<1>(matrix, esp::keepdims)});
  // [/say]
  return out.finish(count, words);
}

// SPDX-License-Identifier: BSL-1.0
// expect: the list of errors is read
// What fits and what does not, as concepts: each line that holds is a refusal that costs no test of its own.
#include <espalier/model/training_fit.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/optim/optim.hpp>
#include <espalier/storage/tensor.hpp>

namespace nn = espalier::nn;
namespace optim = espalier::optim;
using namespace espalier;

// Elementwise: one operand has the result's shape.
template <class... S>
concept Elementwise = same_or_broadcast<S...>::agree;
static_assert(Elementwise<shape<2, 3>, shape<2, 3>>);
static_assert(Elementwise<shape<2, 3>, shape<3>>);
static_assert(Elementwise<shape<3>, shape<2, 3>>);
static_assert(Elementwise<shape<2, 3>, shape<2, 1>>);
static_assert(Elementwise<shape<2, 3>, shape<>>);
static_assert(!Elementwise<shape<2, 3>, shape<2>>);               // the last axes are aligned
static_assert(!Elementwise<shape<2, 3>, shape<3, 2>>);            // both axes differ
static_assert(!Elementwise<shape<64, 1>, shape<64>>);             // NumPy's (64, 64) is nobody's shape here
static_assert(!Elementwise<shape<1, 3>, shape<2, 1>>);            // likewise (2, 3)
static_assert(!Elementwise<shape<2, 3>, shape<2, 3>, shape<2>>);  // where: every operand counts
static_assert(!Elementwise<shape<2, 1>, shape<1, 3>, shape<3>>);  // where: none has the result's shape
static_assert(disagreeing_axis(shape<2, 3>::value, shape<2, 4>::value) == -1);
static_assert(disagreeing_axis(shape<2, 3>::value, shape<4, 3>::value) == -2);
static_assert(disagreeing_axis(shape<64, 1>::value, shape<64>::value) == 0);

// Element types: float and double do not mix; labels and numbers mix with both.
static_assert(same_element<float, float>::agree);
static_assert(same_element<float, std::int32_t>::agree);
static_assert(same_element<bool, double>::agree);
static_assert(same_element<void, double>::agree);
static_assert(!same_element<float, double>::agree);
static_assert(!same_element<double, float>::agree);

// broadcast_to
static_assert(Broadcastable<shape<3>, shape<2, 3>>);
static_assert(Broadcastable<shape<2, 1>, shape<2, 3>>);
static_assert(Broadcastable<shape<>, shape<2, 3>>);
static_assert(!Broadcastable<shape<2>, shape<2, 3>>);     // aligned at the last axis
static_assert(!Broadcastable<shape<2, 3>, shape<4, 6>>);  // no tiling
static_assert(!Broadcastable<shape<2, 3>, shape<3>>);     // axes are added, never dropped
static_assert(!Broadcastable<shape<2, 3>, shape<2, 1>>);  // nor summed

// matmul
static_assert(Multipliable<shape<8, 13>, shape<13, 16>>);
static_assert(Multipliable<shape<4, 8, 13>, shape<13, 16>>);
static_assert(Multipliable<shape<4, 8, 13>, shape<1, 13, 16>>);
static_assert(Multipliable<shape<2, 1, 8, 13>, shape<5, 13, 16>>);
static_assert(!Multipliable<shape<8, 13>, shape<12, 16>>);              // columns and rows
static_assert(!Multipliable<shape<8, 13>, shape<16, 13>>);              // a transpose is missing
static_assert(!Multipliable<shape<8, 13>, shape<13>>);                  // a vector is no matrix
static_assert(!Multipliable<shape<13>, shape<13, 16>>);                 // on either side
static_assert(!Multipliable<shape<>, shape<>>);                         // nor is a number
static_assert(!Multipliable<shape<4, 8, 13>, shape<3, 13, 16>>);        // 4 batches and 3
static_assert(!Multipliable<shape<2, 4, 8, 13>, shape<3, 1, 13, 16>>);  // 2 and 3, one axis further out

// reshape
template <class S, int... Extents>
concept Reshapable = same_element_count<S, to<Extents...>>::agree;
static_assert(Reshapable<shape<8, 13>, 13, 8>);
static_assert(Reshapable<shape<8, 13>, -1>);
static_assert(Reshapable<shape<8, 13>, 2, -1, 13>);
static_assert(Reshapable<shape<1, 1>>);            // one element is a scalar
static_assert(!Reshapable<shape<8, 13>, 13, 9>);   // another count
static_assert(!Reshapable<shape<8, 13>, 5, -1>);   // 104 is not a multiple of 5
static_assert(!Reshapable<shape<8, 13>, -1, -1>);  // two unknowns
static_assert(!Reshapable<shape<8, 13>, 0, -1>);   // nothing times something
static_assert(!Reshapable<shape<8, 13>, -2, 52>);  // only -1 is inferred
static_assert(!Reshapable<shape<8, 13>>);          // 104 elements are no scalar

// axes
template <class S, int... Axes>
concept HasAxes = axes_exist<S, axes<Axes...>>::agree;
static_assert(HasAxes<shape<8, 13>>);
static_assert(HasAxes<shape<8, 13>, 0>);
static_assert(HasAxes<shape<8, 13>, -1, 0>);
static_assert(HasAxes<shape<>>);
static_assert(!HasAxes<shape<8, 13>, 2>);                     // there are axes 0 and 1
static_assert(!HasAxes<shape<8, 13>, -3>);                    // and -1 and -2
static_assert(!HasAxes<shape<8, 13>, 0, 0>);                  // each once
static_assert(!HasAxes<shape<8, 13>, 1, -1>);                 // under any name
static_assert(!HasAxes<shape<>, 0>);                          // a scalar has none
static_assert(!transposable_axes<shape<2, 3>, 0, 2>::agree);  // as above
static_assert(!transposable_axes<shape<3>, -1, -2>::agree);   // a vector has no last two
static_assert(transposable_axes<shape<2, 3>, 0, -1>::agree);

// labels
static_assert(detail::one_label_a_row<shape<32, 10>, shape<32>>::agree);
static_assert(detail::one_label_a_row<shape<4, 5, 10>, shape<4, 5>>::agree);
static_assert(!detail::one_label_a_row<shape<32, 10>, shape<31>>::agree);      // one a row
static_assert(!detail::one_label_a_row<shape<32, 10>, shape<32, 1>>::agree);   // and no axis more
static_assert(!detail::one_label_a_row<shape<32, 10>, shape<32, 10>>::agree);  // nor one-hot rows
static_assert(!detail::one_label_a_row<shape<>, shape<>>::agree);              // a scalar has no classes

// What is an operand, and what is none.
struct stranger {};
using row = tensor<float, shape<3>>;
using matrix = tensor<float, shape<3, 3>>;
using text = char const*;
template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Scalable = requires(A a, B b) {
  a* b;
};
template <class A, class B>
concept MatrixOperands = requires(A a, B b) {
  matmul(a, b);
};
template <class C, class A>
concept Selectable = requires(C c, A a) {
  where(c, a, a);
};
template <class X>
concept HasExp = requires(X x) {
  exp(x);
};
template <class X>
concept Summable = requires(X x) {
  sum<0>(x);
};
template <class X>
concept HasSoftmax = requires(X x) {
  softmax<0>(x);
};
template <class X, class To>
concept CanBroadcast = requires(X x) {
  broadcast_to<To>(x);
};
static_assert(Addable<row, row> && Addable<row, int> && Addable<double, row>);
static_assert(!Addable<row, stranger>);
static_assert(!Addable<stranger, row>);
static_assert(!Addable<row, text>);
static_assert(Scalable<row, view<float const, shape<3>>>);
static_assert(!Scalable<stranger, row>);
static_assert(MatrixOperands<matrix, matrix>);
static_assert(!MatrixOperands<matrix, stranger>);
static_assert(!MatrixOperands<matrix, int>);  // a number has no axes
static_assert(Selectable<row, row> && Selectable<row, float>);
static_assert(!Selectable<stranger, row>);
static_assert(!Selectable<bool, row>);  // one number does not choose among elements; if does
static_assert(HasExp<row> && Summable<row> && HasSoftmax<row> && CanBroadcast<row, shape<2, 3>>);
static_assert(!HasExp<stranger>);
static_assert(!HasExp<text>);
static_assert(!Summable<stranger>);
static_assert(!Summable<float>);
static_assert(!HasSoftmax<stranger>);
static_assert(!CanBroadcast<row, stranger>);  // to a shape, nothing else
static_assert(!CanBroadcast<stranger, shape<3>>);

// Nets: a misfit travels up as a type.
template <class Net, class S>
concept Accepts = !is_invalid<detail::applied_net<Net, S>>;
template <class... M>
using seq = nn::Sequential<M...>;
static_assert(Accepts<nn::Linear<8, 4>, shape<2, 8>>);
static_assert(Accepts<nn::Linear<8, 4>, shape<5, 2, 8>>);
static_assert(!Accepts<nn::Linear<8, 4>, shape<2, 4>>);                                     // 4 features for 8
static_assert(!Accepts<nn::Linear<8, 4>, shape<8>>);                                        // no batch
static_assert(!Accepts<seq<nn::Linear<8, 4>, nn::Linear<8, 4>>, shape<2, 8>>);              // 4 after 8
static_assert(!Accepts<seq<nn::Linear<8, 4>, nn::ReLU, nn::LayerNorm1d<8>>, shape<2, 8>>);  // normalized features
static_assert(!Accepts<seq<nn::Linear<8, 4>, nn::ReLU, nn::BatchNorm1d<8>>, shape<2, 8>>);
static_assert(!Accepts<nn::Residual<nn::Linear<8, 4>>, shape<2, 8>>);  // 4 + 8
static_assert(!Accepts<nn::Residual<seq<nn::Linear<8, 4>, nn::Linear<5, 8>>>, shape<2, 8>>);
static_assert(!Accepts<nn::MaskedDropout<0.5, shape<2, 4>>, shape<2, 8>>);
static_assert(!Accepts<nn::BatchNorm1d<8>, shape<8>>);  // no batch to average over
static_assert(!Accepts<nn::LayerNorm1d<8>, shape<>>);
static_assert(!Accepts<seq<nn::Flatten, nn::Linear<64, 10>>, shape<2, 9, 9>>);
static_assert(std::is_same_v<detail::applied_net<seq<nn::ReLU, nn::Linear<8, 4>>, shape<2, 5>>,
                             invalid<inner_dimensions<shape<2, 5>, shape<8, 4>>, nn::Linear<8, 4>, layer<1, 2>>>);

// Training
template <class Net, class Loss, class... Batches>
concept Trains = detail::training_fit<Net, Loss, Batches...>::agree;
static_assert(Trains<nn::Linear<8, 4>, nn::SoftmaxLoss, batch<32, 8>>);
static_assert(Trains<nn::Linear<8, 4>, nn::MeanSquaredError, batch<32, 8>, batch<5, 8>>);
static_assert(!Trains<nn::Linear<8, 4>, nn::SoftmaxLoss, batch<32, 8>, batch<5, 7>>);  // the second batch
// labels for each sample, not for each row
static_assert(!Trains<nn::Linear<8, 4>, nn::SoftmaxLoss, batch<32, 2, 8>>);
static_assert(!Trains<nn::Linear<8, 4>, optim::Adam, batch<32, 8>>);  // an optimizer is no loss
static_assert(!Trains<nn::Linear<8, 4>, nn::SoftmaxLoss, int>);       // a number is no batch
// one value per channel
static_assert(!Trains<seq<nn::Linear<8, 4>, nn::BatchNorm1d<4>>, nn::SoftmaxLoss, batch<1, 8>>);
static_assert(Trains<seq<nn::Linear<8, 4>, nn::LayerNorm1d<4>>, nn::SoftmaxLoss, batch<1, 8>>);
static_assert(optim::Optimizer<optim::Adam> && optim::Optimizer<optim::SGD<>> &&
              optim::Optimizer<optim::clip_by_norm<optim::AdamW>>);
static_assert(!optim::Optimizer<nn::SoftmaxLoss> && !optim::Optimizer<float>);
static_assert(!optim::is_momentum<float>::agree && optim::is_momentum<optim::nesterov>::agree);

#ifdef SHOULD_FAIL
static_assert(inner_dimensions<shape<8, 13>, shape<12, 16>>::agree, "the list of errors is read");
#endif

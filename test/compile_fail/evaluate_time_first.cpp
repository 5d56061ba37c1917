// SPDX-License-Identifier: BSL-1.0
// expect-early: trainer.evaluate\(images, targets\): the first axis of the prediction must be that of the batch
// expect: samples_are_rows<esp(alier)?::shape<8, 5>, esp(alier)?::shape<3, 8, 5> ?>
// expect-26: a prediction of \(8, 5\), a batch of \(3, 8, 5\)
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Net {
  ESPALIER_MODULE(Net)
  constexpr auto forward(auto x) const { return esp::mean<0>(x); }
};
using batch = esp::batch<3, 8, 5>;
#else
struct Net {
  ESPALIER_MODULE(Net)
  constexpr auto forward(auto x) const { return esp::mean<1>(x); }
};
using batch = esp::batch<8, 3, 5>;
#endif

auto f(esp::model<Net>& model, esp::tensor<float, batch> const& x, esp::tensor<std::int32_t, esp::shape<8>> const& y) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, batch{}};
  return trainer.evaluate(x, y);
}

// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(model, loss\): a model on several devices or processes is trained by a trainer and evaluated by a predictor
// expect: on_one_device<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// value_and_grad has no batch that it could divide at compile time.
#ifdef SHOULD_FAIL
using device = esp::simulated_cuda_parallel<2>;
#else
using device = esp::simulated_cuda;
#endif
float loss(esp::model<Net, device>& model, esp::tensor<float, esp::shape<4, 8>> const& x,
           esp::tensor<std::int32_t, esp::shape<4>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}

// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets\): targets must be those of 1 to N samples, in the type that the loss requires
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<8, 4>;
using batch = esp::batch<esp::up_to<64>, 8>;
using trainer = esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::Adam, batch>;

#ifdef SHOULD_FAIL
using labels = esp::tensor<float, esp::shape<5>>;
#else
using labels = esp::tensor<std::int32_t, esp::shape<5>>;
#endif
void f(trainer& t, esp::tensor<float, esp::shape<5, 8>> const& x, labels const& y) { t.step(x, y); }

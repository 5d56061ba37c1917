// SPDX-License-Identifier: BSL-1.0
// expect: nn::RandomCrop<Padding>: Padding must not be negative
// expect-early: RandomCrop<
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::RandomCrop<-4>> net;
#else
esp::model<nn::RandomCrop<4>> net;
#endif

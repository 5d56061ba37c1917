// SPDX-License-Identifier: BSL-1.0
// expect: std::array
// expect-early: Arrayed
#include <array>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct Arrayed {
  nn::Linear<4, 4> parts[2];
  ESPALIER_MODULE(Arrayed, parts)
};
#else
struct Arrayed {
  std::array<nn::Linear<4, 4>, 2> parts;
  ESPALIER_MODULE(Arrayed, parts)
};
#endif

esp::model<Arrayed> model;

// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: shape<9, 2>
#include <espalier/model/model.hpp>
#include <espalier/nn/linear.hpp>
#include <espalier/nn/sequential.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Last = nn::Linear<9, 2>;
#else
using Last = nn::Linear<8, 2>;
#endif

float best(esp::model<nn::Sequential<nn::Linear<4, 8>, Last>> const& model,
           esp::tensor<float, esp::batch<3, 4>> const& x) {
  auto scores = model(x);
  float found = scores.data()[0];
  for (float score : scores) found = score > found ? score : found;
  for (int i = 0; i < scores.size(); ++i) found = scores[i] > found ? scores[i] : found;
  scores.fill(0);
  return found;
}

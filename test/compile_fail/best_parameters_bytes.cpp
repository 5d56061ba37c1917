// SPDX-License-Identifier: BSL-1.0
// expect: best_parameters\{model, bytes\}: the bytes are fewer than best_parameters::bytes
// expect: enough_bytes<64,
// expect-early: 64
#include <espalier/model/best_parameters.hpp>
#include <espalier/nn/linear.hpp>

using model_type = espalier::model<espalier::nn::Linear<8, 8>>;
#ifdef SHOULD_FAIL
espalier::bytes<64> room;
#else
espalier::bytes<espalier::best_parameters<model_type>::bytes> room;
#endif

void train(model_type const& model) {
  espalier::best_parameters best{model, room};
  (void)best;
}

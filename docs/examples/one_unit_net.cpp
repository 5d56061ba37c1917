// SPDX-License-Identifier: BSL-1.0
// The one translation unit that compiles a net: change the net, and only this file is compiled again.
// [defined]
#include "one_unit.hpp"

#include <espalier.hpp>

namespace one_unit {

namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<4, 16>, nn::LayerNorm1d<16>, nn::ReLU, nn::Linear<16, 2>>;

struct learner::parts {
  explicit parts(std::uint64_t seed) : model{esp::seed{seed}} {}
  esp::model<Net> model;
  esp::trainer<esp::model<Net>, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<16, 4>> trainer{
      model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-2f}, esp::batch<16, 4>{}};
  esp::predictor<esp::model<Net>, esp::batch<16, 4>> predictor{model, esp::batch<16, 4>{}};
};

learner::learner(std::uint64_t seed) : parts_{new parts{seed}} {}
learner::~learner() { delete parts_; }
float learner::step(samples const& x, labels const& y) { return static_cast<float>(parts_->trainer.step(x, y)); }
void learner::predict(samples const& x, scores& y) { parts_->predictor(x, y); }

}  // namespace one_unit
// [/defined]

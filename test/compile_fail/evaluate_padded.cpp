// SPDX-License-Identifier: BSL-1.0
// expect: trainer.evaluate\(images, targets\): the batch is padded; pass the number of its real samples: evaluate\(images, targets, count\)
// expect: whole_batch<
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

namespace esp = espalier;
namespace data = espalier::data;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Samples = data::dataset<float, esp::shape<8, 8>>;

double f(esp::model<Net>& model, Samples const& samples) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}};
  data::loader batches{samples, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  double loss = 0;
#ifdef SHOULD_FAIL
  for (auto const& [images, labels, count] : batches.epoch(0)) loss += train.evaluate(images, labels).loss;
#else
  for (auto const& [images, labels, count] : batches.epoch(0)) loss += train.evaluate(images, labels, count).loss;
#endif
  return loss;
}

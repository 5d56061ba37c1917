// SPDX-License-Identifier: BSL-1.0
// expect: trainer.step\(images, targets, count\): a step learns from whole batches; load them with data::drop_last or data::second_batch<N> instead of data::padded
// expect: no_count<
#include <espalier.hpp>
#include <espalier/data/loader.hpp>

namespace esp = espalier;
namespace data = espalier::data;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Samples = data::dataset<float, esp::shape<8, 8>>;

void f(esp::model<Net>& model, Samples const& samples) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}, esp::batch<5, 8, 8>{}};
#ifdef SHOULD_FAIL
  data::loader batches{samples, esp::batch<32, 8, 8>{}, data::in_order{}, data::padded};
  for (auto const& [images, labels, count] : batches.epoch(0)) train.step(images, labels, count);
#else
  data::loader batches{samples, esp::batch<32, 8, 8>{}, data::in_order{}, data::second_batch<5>};
  batches.epoch(0, [&](auto const& images, auto const& labels) { train.step(images, labels); });
#endif
}

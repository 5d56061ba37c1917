// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: gradients are whole tables; optim::lazy works in a trainer
// expect-early: lazy_works<.*lazy<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Embedding<10, 4>;

void f(esp::model<Net>& model, esp::gradients<Net> const& gradients) {
#ifdef SHOULD_FAIL
  optim::updater rows{model, optim::lazy{optim::Adam{}}};
#else
  optim::updater rows{model, optim::Adam{}};
#endif
  rows.update(model, gradients);
}

// SPDX-License-Identifier: BSL-1.0
// expect: loader: include <espalier/data/loader.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/data/loader.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

template <class Samples>
void visit(Samples const& samples) {
  esp::data::loader batches{samples, esp::batch<16, 8>{}, esp::data::shuffled{1}, esp::data::drop_last};
  for (auto const& batch : batches.epoch(0)) static_cast<void>(batch);
}
#ifndef SHOULD_FAIL
template void visit(esp::data::samples<float, esp::shape<8>> const&);
#else
template void visit(int const&);
#endif

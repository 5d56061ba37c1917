// SPDX-License-Identifier: BSL-1.0
// expect: loader\{samples, batch, order, policy\}: short_last is for batch<up_to<N>, ...>, padded and second_batch
// expect-early: padded_policy
#include <espalier/data/loader.hpp>

namespace esp = espalier;
namespace data = espalier::data;

// A batch of up to 32 samples needs no padding.
void train(data::samples<float, esp::shape<8, 8>> digits) {
#ifdef SHOULD_FAIL
  data::loader batches{digits, esp::batch<esp::up_to<32>, 8, 8>{}, data::in_order{}, data::padded};
#else
  data::loader batches{digits, esp::batch<esp::up_to<32>, 8, 8>{}, data::in_order{}, data::short_last};
#endif
  for (auto const& [images, labels] : batches.epoch(0)) (void)images, (void)labels;
}

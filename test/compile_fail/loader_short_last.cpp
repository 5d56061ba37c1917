// SPDX-License-Identifier: BSL-1.0
// expect: loader\{samples, batch, order, policy\}: short_last is for batch<up_to<N>, ...>
// expect-early: shape<32, 8, 8>
#include <espalier/data/loader.hpp>

namespace esp = espalier;
namespace data = espalier::data;

// A batch of 32 samples has 32 of them: the last cannot be shorter.
#ifdef SHOULD_FAIL
using batch = esp::batch<32, 8, 8>;
#else
using batch = esp::batch<esp::up_to<32>, 8, 8>;
#endif
void train(data::samples<float, esp::shape<8, 8>> digits) {
  data::loader batches{digits, batch{}, data::in_order{}, data::short_last};
  for (auto const& [images, labels] : batches.epoch(0)) (void)images, (void)labels;
}

// SPDX-License-Identifier: BSL-1.0
// expect: choose a policy for the last batch: drop_last, padded or second_batch<N>
#include <espalier/data/loader.hpp>

namespace data = espalier::data;

void train(data::samples<float, espalier::shape<8, 8>> digits) {
#ifdef SHOULD_FAIL
  data::loader batches{digits, espalier::batch<32, 8, 8>{}, data::in_order{}};
#else
  data::loader batches{digits, espalier::batch<32, 8, 8>{}, data::in_order{}, data::padded};
#endif
  (void)batches;
}

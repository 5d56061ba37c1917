// SPDX-License-Identifier: BSL-1.0
// expect: write for \(... : loader.epoch\(k\)\), where k counts the epochs
#include <espalier/data/loader.hpp>

namespace data = espalier::data;

void train(data::samples<float, espalier::shape<2>> digits) {
  data::loader batches{digits, espalier::batch<32, 2>{}, data::in_order{}, data::drop_last};
#ifdef SHOULD_FAIL
  for (auto const& [x, y] : batches) (void)x;
#else
  for (auto const& [x, y] : batches.epoch(0)) (void)x;
#endif
}

// SPDX-License-Identifier: BSL-1.0
// expect: loader\{samples, batch<N, ...>\{\}, ...\}: the batch must be N samples of the data set's shape
// expect-early: int
#include <espalier/data/loader.hpp>

namespace data = espalier::data;

void train(data::samples<float, espalier::shape<2>> digits) {
#ifdef SHOULD_FAIL
  data::loader batches{digits, 32, data::in_order{}, data::drop_last};
#else
  data::loader batches{digits, espalier::batch<32, 2>{}, data::in_order{}, data::drop_last};
#endif
  (void)batches;
}

// SPDX-License-Identifier: BSL-1.0
// expect: the batch must be N samples of the data set's shape
// expect: batch_of_samples<espalier::shape<32, 28, 28>, espalier::shape<8, 8> ?>
// expect-early: shape<32, 28, 28>
// expect-early: shape<8, 8>
#include <espalier/data/loader.hpp>

namespace data = espalier::data;

#ifdef SHOULD_FAIL
using size = espalier::batch<32, 28, 28>;
#else
using size = espalier::batch<32, 8, 8>;
#endif

void train(data::samples<float, espalier::shape<8, 8>> digits) {
  data::loader batches{digits, size{}, data::in_order{}, data::drop_last};
  (void)batches;
}

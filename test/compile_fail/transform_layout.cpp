// SPDX-License-Identifier: BSL-1.0
// expect: a transform does not support samples of this shape in its layout \(hwc, chw\)
// expect: image_axes<espalier::shape<64>, espalier::data::chw ?>
// expect-early: shape<64>
#include <espalier/data/loader.hpp>

namespace data = espalier::data;

#ifdef SHOULD_FAIL
using sample = espalier::shape<64>;
using size = espalier::batch<32, 64>;
#else
using sample = espalier::shape<1, 8, 8>;
using size = espalier::batch<32, 1, 8, 8>;
#endif

void train(data::samples<float, sample> digits) {
  data::loader batches{digits, size{}, data::in_order{}, data::drop_last,
                       data::transforms<data::random_crop<data::chw, 1>>{.seed = 1}};
  (void)batches;
}

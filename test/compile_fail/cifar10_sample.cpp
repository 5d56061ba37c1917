// SPDX-License-Identifier: BSL-1.0
// expect: data::cifar10<T, Sample>: Sample is shape<3, 32, 32> or shape<32, 32, 3>
// expect: cifar10_sample<espalier::shape<32, 32>
// expect-early: shape<32, 32>
#include <espalier/data/cifar10.hpp>

namespace data = espalier::data;

#ifdef SHOULD_FAIL
using sample = espalier::shape<32, 32>;
#else
using sample = espalier::shape<32, 32, 3>;
#endif

void load() {
  auto const train = data::cifar10<float, sample>({.scale = 1.0 / 255}, "data_batch_1.bin");
  (void)train;
}

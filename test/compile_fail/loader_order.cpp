// SPDX-License-Identifier: BSL-1.0
// expect: loader\{samples, batch<N, ...>\{\}, order, policy\}: samples is a data set or a part of one; order is data::shuffled\{seed\}
// expect: is_order<bool>
#include <espalier/data/loader.hpp>

namespace data = espalier::data;

void train(data::dataset<float, espalier::shape<8, 8>> const& digits) {
#ifdef SHOULD_FAIL
  data::loader batches{digits, espalier::batch<32, 8, 8>{}, true};
  for (auto const& [images, labels] : batches.epoch(0)) (void)images, (void)labels;
#else
  data::loader batches{digits, espalier::batch<32, 8, 8>{}, data::shuffled{.seed = 1}, data::drop_last};
  for (auto const& [images, labels] : batches.epoch(0)) (void)images, (void)labels;
#endif
}

// SPDX-License-Identifier: BSL-1.0
// expect: prefetcher\{loader, device\}: the prefetcher's thread uses the loader; move it, or construct it there: prefetcher\{data::loader\{...\}, device\}
// expect: own_loader<
#include <espalier/data/prefetcher.hpp>

#include <utility>

namespace esp = espalier;
namespace data = espalier::data;

// The thread of the prefetcher would share the loader with you.
void train(data::samples<float, esp::shape<8, 8>> digits) {
  data::loader batches{digits, esp::batch<32, 8, 8>{}, data::in_order{}, data::drop_last};
#ifdef SHOULD_FAIL
  data::prefetcher ahead{batches, esp::cpu{}};
#else
  data::prefetcher ahead{std::move(batches), esp::cpu{}};
#endif
  for (auto const& [images, labels] : ahead.epoch(0)) (void)images, (void)labels;
}

// SPDX-License-Identifier: BSL-1.0
// expect: prefetcher\{loader, device\}: batches of up to N samples are on the host; for a graphics processor use batch<N, ...>
// expect: batch_on_device<
#include <espalier.hpp>
#include <espalier/data/prefetcher.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
namespace data = espalier::data;

// The programs of a graphics processor have a fixed number of samples.
void train(data::samples<float, esp::shape<8, 8>> digits) {
#ifdef SHOULD_FAIL
  using batch = esp::batch<esp::up_to<32>, 8, 8>;
  data::prefetcher ahead{data::loader{digits, batch{}, data::in_order{}, data::short_last}, esp::simulated_cuda{}};
#else
  using batch = esp::batch<32, 8, 8>;
  data::prefetcher ahead{data::loader{digits, batch{}, data::in_order{}, data::drop_last}, esp::simulated_cuda{}};
#endif
  for (auto const& [images, labels] : ahead.epoch(0)) (void)images, (void)labels;
}

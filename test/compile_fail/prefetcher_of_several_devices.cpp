// SPDX-License-Identifier: BSL-1.0
// expect: prefetcher\{loader, device\}: several devices take batches of the host, which prefetcher\{loader, esp::cpu\{\}\} prepares
// expect: on_one_device<
#include <espalier.hpp>
#include <espalier/data/prefetcher.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace data = espalier::data;

// A step copies the parts of a batch to their devices.
void train(data::samples<float, esp::shape<8>> digits) {
  using batch = esp::batch<32, 8>;
#ifdef SHOULD_FAIL
  data::prefetcher ahead{data::loader{digits, batch{}, data::in_order{}, data::drop_last},
                         esp::simulated_cuda_parallel<2>{}};
#else
  data::prefetcher ahead{data::loader{digits, batch{}, data::in_order{}, data::drop_last}, esp::cpu{}};
#endif
  for (auto const& [images, labels] : ahead.epoch(0)) (void)images, (void)labels;
}

// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): a model on several devices or processes is trained by a trainer and evaluated by a predictor
// expect: on_one_device<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
struct doubled {
  constexpr auto operator()(auto x) const { return x * 2.0f; }
};

// A function of tensors runs on one device.
void run(esp::tensor<float, esp::shape<4, 8>> const& x, esp::tensor<float, esp::shape<4, 8>>& y) {
#ifdef SHOULD_FAIL
  esp::compiled twice{esp::simulated_cuda_parallel<2>{}, doubled{}, x};
#else
  esp::compiled twice{doubled{}, x};
#endif
  twice(x, y);
}

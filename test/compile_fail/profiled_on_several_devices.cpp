// SPDX-License-Identifier: BSL-1.0
// expect: profiled<cuda_parallel<N>>: profile a model on one device, profiled<cuda>; the devices run the same kernels
// expect: on_one_device<
// lines: 12
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>
#include <espalier/report/device_profile.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// A profile has the times of one device.
#ifdef SHOULD_FAIL
using device = esp::simulated_cuda_parallel<2>;
#else
using device = esp::simulated_cuda;
#endif
esp::model<Net, esp::profiled<device>> model;

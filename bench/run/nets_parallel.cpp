// SPDX-License-Identifier: BSL-1.0
// A training step of ResNet9 and a convolution on two threads, beside the same on one. The program is not pinned.
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/parallel.hpp>

#include "espalier_side.hpp"
#include "nets_side.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;

threads const two{2};

template <class Device>
using resnet9_step = net_step<nn::ResNet9<10>, nn::SoftmaxLoss, esp::batch<32, 3, 32, 32>, Device>;

row const step_row{step_on_two_threads, resnet9_step<esp::cpu>::inputs(), resnet9_step<esp::cpu>::outputs(), 0, 0};
implementation const own_step{step_on_two_threads, "espalier", resnet9_step<esp::cpu_parallel<2>>::prepare};
implementation const step_on_one{step_on_two_threads, "espalier_1_thread", resnet9_step<esp::cpu>::prepare};

struct convolution {
  constexpr auto operator()(auto x, auto w) const { return esp::conv2d<esp::convolution{.padding = 1}>(x, w); }
};
using images = esp::shape<8, 56, 56, 64>;
using kernels = esp::shape<3, 3, 64, 64>;

template <class Device>
work convolve(operands o) {
  auto w = compiled_work<convolution, in<images, kernels>, out<images>, Device>(o);
  w.seconds = seconds_in_blocks([run = w.run] { run(1); });
  return w;
}
row const convolution_row{convolution_on_two_threads,
                          {{images::size}, {kernels::size, -.2f, .2f}},
                          {{images::size}},
                          4. * (2 * images::size + kernels::size),
                          2. * images::size * 9 * 64};
implementation const own_convolution{convolution_on_two_threads, "espalier", convolve<esp::cpu_parallel<2>>};
implementation const convolution_on_one{convolution_on_two_threads, "espalier_1_thread", convolve<esp::cpu>};

}  // namespace

// SPDX-License-Identifier: BSL-1.0
// Inference of small nets, one example at a time, with a frozen model.
#include "inference.hpp"

#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

#include <algorithm>
#include <memory>

#include "harness.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

template <int In, int A, int B, int Out>
struct net_row {
  using net = nn::Sequential<nn::Linear<In, A>, nn::ReLU, nn::Linear<A, B>, nn::ReLU, nn::Linear<B, Out>>;
  using batch = esp::batch<1, In>;

  static bench::work prepare(bench::operands o) {
    auto model = std::make_shared<esp::model<net>>(esp::seed{0});
    int number = 1;
    model->for_each_parameter([&](char const*, esp::extents const&, esp::span<float> elements) {
      std::copy_n(o.in[number++], elements.size(), elements.begin());
    });
    auto run = std::make_shared<esp::frozen<esp::model<net>, batch>>(*model, batch{});
    esp::view<float const, batch> const x(o.in[0]);
    esp::view<float, esp::shape<1, Out>> const y(o.out[0]);
    return {bench::repeated([=] { (*run)(x, y); })};
  }
  static constexpr double products = In * A + A * B + B * Out;
  bench::row row;
  bench::implementation own;
  explicit net_row(std::string const& name)
      : row{name,
            {{In}, {In * A, -.3f, .3f}, {A}, {A * B, -.3f, .3f}, {B}, {B * Out}, {Out}},
            {{Out}},
            4 * (products + In + A + B + 2 * Out),
            2 * products},
        own{name, "espalier", prepare} {}
};

#define NET(IN, A, B, OUT) \
  net_row<IN, A, B, OUT> const net_##IN##_##A##_##B##_##OUT{"inference/" #IN "-" #A "-" #B "-" #OUT};
BENCH_INFERENCE_NETS(NET)

}  // namespace

// SPDX-License-Identifier: BSL-1.0
// Recurrent layers over whole sequences, as compiled functions of a model.
#include "recurrent.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/model/parameter_of.hpp>
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

#include <algorithm>
#include <memory>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;

inline constexpr auto outputs = [](auto net, auto x) { return std::get<0>(net(x)); };
inline constexpr auto weighted = [](auto net, auto x, auto dy) { return sum(std::get<0>(net(x)) * dy); };
inline constexpr auto gradients = [](auto net, auto x, auto dy) {
  auto const [by_net, dx] = esp::grad<0, 1>(weighted)(net, x, dy);
  return std::tuple{dx, parameter_of<"weight_ih_l0">(by_net), parameter_of<"weight_hh_l0">(by_net),
                    parameter_of<"bias_ih_l0">(by_net), parameter_of<"bias_hh_l0">(by_net)};
};

template <class Net, int Gates, int T, int B, int I, int H>
struct layer {
  template <int... Extent>
  using numbers = esp::view<float const, esp::shape<Extent...>>;
  template <int... Extent>
  using results = esp::view<float, esp::shape<Extent...>>;

  static auto model_of(operands o) {
    auto const model = std::make_shared<esp::model<Net>>(esp::seed{0});
    int number = 1;
    model->for_each_parameter([&](char const*, esp::extents const&, esp::span<float> elements) {
      std::copy_n(o.in[number++], elements.size(), elements.begin());
    });
    return model;
  }
  static work forward(operands o) {
    auto const model = model_of(o);
    numbers<T, B, I> const x(o.in[0]);
    using compiled = decltype(esp::compiled{outputs, *model, x});
    return {repeated([=, run = std::make_shared<compiled>(outputs, *model, x), y = results<T, B, H>(o.out[0])] {
      (void)model;
      (*run)(x, y);
    })};
  }
  static work forward_backward(operands o) {
    auto const model = model_of(o);
    numbers<T, B, I> const x(o.in[0]);
    numbers<T, B, H> const dy(o.in[5]);
    using compiled = decltype(esp::compiled{gradients, *model, x, dy});
    return {repeated([=, run = std::make_shared<compiled>(gradients, *model, x, dy)] {
      (void)model;
      (*run)(x, dy, results<T, B, I>(o.out[0]), results<I, Gates * H>(o.out[1]), results<H, Gates * H>(o.out[2]),
             results<Gates * H>(o.out[3]), results<Gates * H>(o.out[4]));
    })};
  }
  static constexpr recurrent_shape shape{Gates, T, B, I, H};
  row forward_row{shape.name(false), shape.in(), shape.out(false), 0, shape.flops(false)};
  implementation own_forward{shape.name(false), "espalier", forward};
  row both_row{shape.name(true), shape.in(), shape.out(true), 0, shape.flops(true)};
  implementation own_both{shape.name(true), "espalier", forward_backward};
};

#define LAYERS(T, B, I, H)                                               \
  layer<nn::LSTM<I, H>, 4, T, B, I, H> const lstm_##T##_##B##_##I##_##H; \
  layer<nn::GRU<I, H>, 3, T, B, I, H> const gru_##T##_##B##_##I##_##H;
BENCH_RECURRENT_SHAPES(LAYERS)

}  // namespace

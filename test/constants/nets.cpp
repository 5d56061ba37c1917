// SPDX-License-Identifier: BSL-1.0
// Programs whose constants constants.py measures: masks of dropout, pools, statistics, loops, attention, rows of a
// table, batches of any size, streams, integers, and functions.
#include <espalier.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/quantized.hpp>
#include <espalier/stream.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace {

using Pictures =
    nn::Sequential<nn::ConvBN<2, 6, 3>, nn::MaxPool2d<2>, nn::Dropout<0.25>, nn::Flatten, nn::Linear<96, 2>>;
using Recurrent =
    nn::Sequential<nn::LastOutput<nn::LSTM<3, 4, nn::lstm{.layers = 2, .batch_first = true, .dropout = 0.5}>>,
                   nn::Linear<4, 2>>;
using Attentive = nn::Sequential<nn::TransformerEncoderLayer<8, 2, 16, nn::encoder_layer{.dropout = 0.1}>,
                                 nn::Checkpoint<nn::Linear<8, 8>>, nn::Flatten, nn::Linear<40, 2>>;
using Words = nn::Sequential<nn::Embedding<50, 4>, nn::Flatten, nn::Linear<12, 2>>;
using Rows = nn::Sequential<nn::Linear<4, 8>, nn::BatchNorm1d<8>, nn::GELU, nn::Dropout<0.5>, nn::Linear<8, 2>>;
using Signal = nn::Sequential<nn::Conv1d<2, 4, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>, nn::Tanh,
                              nn::Outputs<nn::GRU<4, 4, nn::gru{.batch_first = true}>>>;

template <class Net, class Batch, class Optimizer>
void train(auto const& x, std::int32_t const* labels, Optimizer optimizer, float* scores) {
  static esp::model<Net> model{esp::seed{0}};
  static esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, Batch{}};
  static esp::predictor predictor{model, Batch{}};
  trainer.step(x, esp::view<std::int32_t const, esp::shape<3>>{labels});
  predictor(x, esp::view<float, esp::shape<3, 2>>{scores});
}

constexpr auto noisy = [](auto net, auto optimizer, auto x) {
  auto const [loss, gradients] =
      esp::value_and_grad<0>([](auto inner, auto of) { return sum(square(inner(of))); })(net, x);
  optimizer.update(net, gradients);
  return loss;
};

}  // namespace

void use_all(float const* x, std::int32_t const* labels, float* y) {
  using pictures = esp::batch<3, 2, 8, 8>;
  using sequences = esp::batch<3, 5, 3>;
  using texts = esp::batch<3, 5, 8>;
  using words = esp::batch<3, 3>;
  train<Pictures, pictures>(esp::view<float const, pictures>{x}, labels, optim::Adam{}, y);
  train<Recurrent, sequences>(esp::view<float const, sequences>{x}, labels, optim::RMSProp{}, y);
  train<Attentive, texts>(esp::view<float const, texts>{x}, labels, optim::clip_by_norm{optim::AdamW{}, 1.0}, y);
  train<Words, words>(esp::view<std::int32_t const, words>{labels}, labels, optim::lazy{optim::Adam{}}, y);

  using any = esp::batch<esp::up_to<16>, 4>;
  static esp::model<Rows> rows{esp::seed{0}};
  static esp::trainer trainer{rows, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1}, any{}};
  trainer.step(esp::view<float const, any>{x, 5}, esp::view<std::int32_t const, esp::batch<esp::up_to<16>>>{labels, 5});
  static esp::predictor predictor{rows, any{}};
  predictor(esp::view<float const, any>{x, 5}, esp::view<float, esp::batch<esp::up_to<16>, 2>>{y, 5});

  using exact = esp::batch<8, 4>;
  esp::calibration calibration{rows, exact{}};
  calibration(esp::view<float const, exact>{x});
  static esp::quantized quantized{rows, calibration, exact{}};
  quantized(esp::view<float const, exact>{x}, esp::view<float, esp::shape<8, 2>>{y});

  using block = esp::batch<1, 4, 2>;
  static esp::model<Signal> signal{esp::seed{0}};
  static esp::stream stream{signal, block{}};
  stream(esp::view<float const, block>{x}, esp::view<float, esp::shape<1, 4, 4>>{y});

  static esp::tensor<float, exact> some;
  static optim::updater updater{rows, optim::Adam{}};
  static esp::frozen frozen{rows, exact{}};
  frozen(esp::view<float const, exact>{x}, esp::view<float, esp::shape<8, 2>>{y});

  static esp::compiled step{noisy, rows, updater, some};
  step(some, esp::view<float, esp::shape<>>{y});
}

// SPDX-License-Identifier: BSL-1.0
// budget: 700 MB
// An LSTM cell that a plain function unrolls: 64 steps, forward and backward, as the documentation writes it. The loss
// falls.
#include <cstdio>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

inline constexpr int samples = 4, features = 8, hidden = 16, steps = 64;

struct LSTM {
  nn::Linear<features, 4 * hidden> input{};
  nn::Linear<hidden, 4 * hidden, nn::no_bias> state{};
  nn::Linear<hidden, 3> output{};
  ESPALIER_MODULE(LSTM, input, state, output)

  template <int Step>
  constexpr auto from(auto const& x, auto const& h, auto const& c) const {
    if constexpr (Step == steps) {
      return output(h);
    } else {
      auto const gates = input(esp::reshape<samples, features>(esp::slice<1, Step, Step + 1>(x))) + state(h);
      auto const [i, f, o, u] = esp::split<1, hidden, hidden, hidden, hidden>(gates);
      auto const next = esp::sigmoid(f) * c + esp::sigmoid(i) * esp::tanh(u);
      return from<Step + 1>(x, esp::sigmoid(o) * esp::tanh(next), next);
    }
  }
  constexpr auto forward(auto x) const {
    esp::tensor<float, esp::shape<samples, hidden>> const zero{};
    return from<0>(x, zero, zero);
  }
};

int main() {
  esp::model<LSTM> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.01f},
                       esp::batch<samples, steps, features>{}};
  esp::tensor<float, esp::shape<samples, steps, features>> x;
  esp::tensor<std::int32_t, esp::shape<samples>> const y{0, 1, 2, 0};
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 13) / 13 - 0.5f;
  double const first = static_cast<double>(trainer.step(x, y));
  double last = first;
  for (int i = 0; i < 60; ++i) last = static_cast<double>(trainer.step(x, y));
  std::printf("loss %.6f to %.6f\n", first, last);
  return first > 1.0 && first < 1.3 && last < 0.6 * first ? 0 : 1;
}

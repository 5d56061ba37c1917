// SPDX-License-Identifier: BSL-1.0
// Trains a net and computes formulas, and prints the bits of what comes out. Compiled with xsimd and on the compilers'
// vectors: both print the same.
#include <espalier.hpp>

#include <cstdint>
#include <cstdio>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {
struct Net {
  nn::Linear<40, 37> in;
  nn::BatchNorm1d<37> batch_norm;
  nn::LayerNorm<esp::shape<37>> layer_norm;
  nn::Dropout<0.1> dropout;
  nn::Linear<37, 10> out;
  ESPALIER_MODULE(Net, in, batch_norm, layer_norm, dropout, out)

  constexpr auto forward(auto x) const {
    auto const h = gelu(layer_norm(batch_norm(in(x))));
    return out(dropout(silu(h) + log_softmax<1>(h) + sigmoid(h)));
  }
};

template <class T, class S>
void print(char const* name, esp::tensor<T, S> const& x) {
  std::printf("%s:", name);
  for (T const each : x) {
    if constexpr (sizeof(T) == 4) std::printf(" %08x", __builtin_bit_cast(std::uint32_t, each));
    else std::printf(" %016llx", static_cast<unsigned long long>(__builtin_bit_cast(std::uint64_t, each)));
  }
  std::printf("\n");
}

template <class T>
esp::tensor<T, esp::shape<7, 133>> numbers() {
  esp::tensor<T, esp::shape<7, 133>> x;
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 37 % 911) * T(0.01) + T(0.1);
  return x;
}

/// Every elementary function, both ways of reducing, and products with rows that fill no register.
template <class T>
void formulas(char const* name) {
  auto const x = numbers<T>();
  esp::tensor<T, esp::shape<7>> const rows = logsumexp<1>(tanh(x) * log(x)) + max<1>(sqrt(x) / x) - min<1>(erf(x)) +
                                             sum<1>(exp(-x)) + mean<1>(sin(x) * cos(x));
  esp::tensor<T, esp::shape<133>> const columns =
      sum<0>(x * x) + max<0>(clamp(x, T(1), T(5))) + mean<0>(where(x < 3, softplus(x), abs(x - 4)));
  esp::tensor<T, esp::shape<7, 7>> const products = matmul(x, transpose(x));
  print(name, rows);
  print(name, columns);
  print(name, products);
}
}  // namespace

int main() {
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{.learning_rate = 1e-2f}, esp::batch<24, 40>{}};
  esp::tensor<float, esp::shape<24, 40>> x;
  for (int i = 0; i < 960; ++i) x[i] = static_cast<float>(i * 7 % 131) / 65 - 1;
  esp::tensor<std::int32_t, esp::shape<24>> labels;
  for (int i = 0; i < 24; ++i) labels[i] = i % 10;
  esp::tensor<float, esp::shape<20>> losses;
  for (float& loss : losses) loss = trainer.step(x, labels);
  print("losses", losses);
  formulas<float>("float");
  formulas<double>("double");
}

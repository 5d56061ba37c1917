// SPDX-License-Identifier: BSL-1.0
// A reduction that the library does not have, the product, and a net that trains with it.
//   own_reduction [FILE]    with FILE, compares what it prints with that file
#include <espalier.hpp>

#include "support/recorded.hpp"

// [product]
namespace own {
struct product_ {};

/// product<Axes...>(x): the product over the named axes; no axes: over all.
/// shape   S -> S without Axes
/// range   no element is 0 where the gradient is wanted
/// errors  an axis that does not exist or is named twice does not compile
/// saves   x and the result
/// gradient  dx = dy y / x
template <int... Axes, espalier::Operand X>
constexpr auto product(X&& x) {
  static_assert(espalier::reported_axes_fault<X, Axes...>::agree, "product<axes...>(x): " ESPALIER_AXES_FIT);
  return espalier::reduce_over<product_, false, Axes...>(static_cast<X&&>(x));
}
}  // namespace own

template <>
struct espalier::rule<own::product_> : espalier::reduction {
  static constexpr char const* name = "product";
  static constexpr double identity = 1;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T combine(T a, T b) {
    return a * b;
  }
  static constexpr double constant(double value, std::int64_t count) {
    return math::pow(value, static_cast<double>(count));
  }
  static constexpr handle pullback(handle dy, handle y, handle x) { return dy * y / x; }
};
// [/product]

namespace esp = espalier;
// [use]
constexpr esp::tensor<double, esp::shape<2, 3>> m{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::tensor<double, esp::shape<2>>{own::product<1>(m)} == esp::tensor<double, esp::shape<2>>{6, 120});
static_assert(esp::grad([](auto a) { return own::product(a); })(m) ==
              esp::tensor<double, esp::shape<2, 3>>{{720, 360, 240}, {180, 144, 120}});

// In a module it is an op as any other: fused with its neighbours, differentiated, vectorised. Here: the geometric mean
// of each row.
struct GeometricMean {
  ESPALIER_MODULE(GeometricMean)
  constexpr auto forward(auto x) const { return pow(own::product<1>(exp(x)), 1.0 / 8); }
};
using Net = esp::nn::Sequential<esp::nn::Linear<5, 8>, GeometricMean>;
// [/use]

int main(int count, char** words) {
  examples::recorded out;
  esp::tensor<double, esp::shape<2>> const products = own::product<1>(m);  // by kernels, now
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, esp::nn::MeanSquaredError{}, esp::optim::Adam{.learning_rate = 0.01}, esp::batch<4, 5>{}};
  esp::tensor<float, esp::batch<4, 5>> x;
  esp::nn::init::fill(esp::nn::init::uniform{-1, 1}, x.span(), {.seed = 1});
  esp::tensor<float, esp::shape<4>> const targets{0.5f, 1, 1.5f, 2};
  for (int i = 0; i < 1000; ++i) trainer.step(x, targets);
  esp::tensor<float, esp::shape<4>> const learned = model(x);
  out.print("products of rows %.0f and %.0f\nafter training", products[0], products[1]);
  for (float const mean : learned) out.print(" %.2f", static_cast<double>(mean));
  out.print("\n");
  return out.finish(count, words);
}

// SPDX-License-Identifier: BSL-1.0
// Two ops that the library does not have, each said once: an elementwise one and a reduction.
#include <espalier.hpp>

#include <cstdio>

// [tags]
namespace own {
struct softplus_ {};
struct product_ {};
}  // namespace own
// [/tags]

// [softplus]
template <>
struct espalier::rule<own::softplus_> : espalier::elementwise {
  static constexpr char const* name = "softplus";
  static constexpr auto saves = saved::inputs;
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T x) {
    return math::maximum(x, T(0)) + math::log(T(1) + math::exp(-math::abs(x)));
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * sigmoid(x);
  }
};

namespace own {
/// softplus(x) = log(1 + exp(x)) of every element, without overflow.
/// shape   S -> S
/// saves   x
/// slope   dx = dy sigmoid(x)
template <espalier::Operand X>
constexpr espalier::applied<softplus_, X> softplus(X&& x) {
  return espalier::apply<softplus_>(static_cast<X&&>(x));
}
}  // namespace own
// [/softplus]

// [product]
template <>
struct espalier::rule<own::product_> : espalier::reduction {
  static constexpr char const* name = "product";
  static constexpr double identity = 1;
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T combine(T a, T b) {
    return a * b;
  }
  static constexpr double constant(double value, std::int64_t count) { return math::pow(value, static_cast<double>(count)); }
  static constexpr handle pullback(handle dy, handle y, handle x) { return dy * y / x; }
};

namespace own {
/// product<Axes...>(x): the product over the named axes; no axes: over all.
/// shape   S -> S without Axes
/// range   no element is 0 where the slope is wanted
/// errors  an axis that does not exist or stands twice does not compile
/// slope   dx = dy y / x
template <int... Axes, espalier::Operand X>
constexpr auto product(X&& x) {
  static_assert(espalier::axes_said_here<X, Axes...>::agree, "product<axes...>(x): " ESPALIER_AXES_FIT);
  return espalier::reduce_over<product_, false, Axes...>(static_cast<X&&>(x));
}
}  // namespace own
// [/product]

namespace esp = espalier;
namespace nn = espalier::nn;

// [use]
using four = esp::tensor<double, esp::shape<4>>;
inline constexpr auto total = [](auto x) { return sum(own::softplus(x)); };
inline constexpr auto slope = [](auto x) { return sum(esp::grad(total)(x)); };

// Values, slopes and slopes of slopes, computed by the compiler: log 2, 1/2 and 1/4 at 0; x, 1 and 0 far to the right.
constexpr four points{0, 1, 40, -40};
static_assert(all_close(four{own::softplus(points)}, four{0.6931471805599453, 1.3132616875182228, 40, 0}, 1e-14, 1e-15));
static_assert(all_close(esp::grad(total)(points), four{0.5, 0.7310585786300049, 1, 0}, 1e-14, 1e-15));
static_assert(all_close(esp::grad(slope)(points), four{0.25, 0.19661193324148185, 0, 0}, 1e-14, 1e-15));

constexpr esp::tensor<double, esp::shape<2, 3>> m{{1, 2, 3}, {4, 5, 6}};
static_assert(esp::tensor<double, esp::shape<2>>{own::product<1>(m)} == esp::tensor<double, esp::shape<2>>{6, 120});
static_assert(esp::grad([](auto a) { return own::product(a); })(four{1, 2, 3, 4}) == four{24, 12, 8, 6});

// In a module it is an op like any other: fused with its neighbours, differentiated, vectorised.
struct Softplus {
  ESPALIER_MODULE(Softplus)
  constexpr auto forward(auto input) const { return own::softplus(input); }
};
using Net = nn::Sequential<nn::Linear<13, 7>, Softplus, nn::Linear<7, 3>>;
// [/use]

int main() {
  // The kernels that run agree with what the compiler computed: 37 elements are whole registers and a rest.
  esp::tensor<float, esp::shape<37>> input;
  for (int i = 0; i < 37; ++i) input[i] = 0.5f * static_cast<float>(i) - 9;
  esp::tensor<float, esp::shape<37>> const y = own::softplus(input);
  bool good = true;
  for (int i = 0; i < 37; ++i) {
    double const e = esp::math::log(1 + esp::math::exp(static_cast<double>(input[i])));
    good = good && esp::math::abs(static_cast<double>(y[i]) - e) <= 1e-6 * (1 + e);
  }
  esp::tensor<double, esp::shape<5, 9>> factors;
  for (int i = 0; i < 45; ++i) factors[i] = 1 + 0.01 * i;
  esp::tensor<double, esp::shape<5>> const products = own::product<1>(factors);
  for (int row = 0; row < 5; ++row) {
    double expected = 1;
    for (int column = 0; column < 9; ++column) expected *= factors(row, column);
    good = good && esp::math::abs(products[row] - expected) <= 1e-12 * expected;
  }
  esp::model<Net> model{esp::seed{0}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::SGD<>{.learning_rate = 0.05}, esp::batch<8, 13>{}};
  esp::tensor<float, esp::shape<8, 13>> samples;
  esp::tensor<float, esp::shape<8, 3>> targets;
  nn::init::fill(nn::init::uniform{-1, 1}, samples.span(), {.seed = 1});
  nn::init::fill(nn::init::uniform{-1, 1}, targets.span(), {.seed = 2});
  float const before = trainer.step(samples, targets);
  float after = before;
  for (int i = 0; i < 200; ++i) after = trainer.step(samples, targets);
  std::printf("softplus(0) = %.6f; loss %.4f, after 200 steps %.4f; kernels %s\n", static_cast<double>(y[18]), static_cast<double>(before),
              static_cast<double>(after), good ? "agree" : "DIFFER");
  return good && after < 0.5f * before ? 0 : 1;
}

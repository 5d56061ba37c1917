// SPDX-License-Identifier: BSL-1.0
// budget: 600 MB
// x - 0.1 x sin(x), 200 times over, by recursion and by a loop: the same program, and the derivative of 200 factors.
#include <cmath>
#include <cstdio>
#include <espalier.hpp>

namespace esp = espalier;

namespace {

struct next {
  constexpr auto operator()(auto const& x) const { return x - 0.1 * x * sin(x); }
};
template <int Count>
constexpr auto iterated(auto const& x) {
  if constexpr (Count == 0) return x;
  else return iterated<Count - 1>(next{}(x));
}
struct by_recursion {
  constexpr auto operator()(auto x) const { return sum(iterated<200>(x)); }
};
struct by_loop {
  constexpr auto operator()(auto x) const {
    for (int i = 0; i < 200; ++i) x = next{}(x);
    return sum(x);
  }
};

}  // namespace

int main() {
  esp::tensor<double, esp::shape<3>> const x{-2.0, 0.01, 7.5};
  auto const [value, gradient] = esp::value_and_grad(by_recursion{})(x);
  auto const [same, same_gradient] = esp::value_and_grad(by_loop{})(x);
  double sum = 0;
  bool right = value == same;
  for (int i = 0; i < 3; ++i) {
    double y = x(i), derivative = 1;
    for (int k = 0; k < 200; ++k) {
      derivative *= 1 - 0.1 * (std::sin(y) + y * std::cos(y));
      y -= 0.1 * y * std::sin(y);
    }
    sum += y;
    right = right && std::abs(gradient(i) - derivative) < 1e-9 * (1 + std::abs(derivative)) &&
            gradient(i) == same_gradient(i);
  }
  std::printf("%.9f, gradient %.9f %.9f %.9f\n", value, gradient(0), gradient(1), gradient(2));
  return right && std::abs(value - sum) < 1e-9 * (1 + std::abs(sum)) ? 0 : 1;
}

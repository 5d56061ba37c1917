// SPDX-License-Identifier: BSL-1.0
// budget: 600 MB
// 50 steps of a pendulum by the classical Runge-Kutta method, and what the end depends on of the start: held to
// differences, and to the energy, which stays.
#include <cmath>
#include <cstdio>
#include <espalier.hpp>

namespace esp = espalier;

namespace {

inline constexpr int count = 50;
inline constexpr double step = 0.02;

struct state_change {
  constexpr auto operator()(auto const& s) const {
    auto const [angle, speed] = esp::split<0, 1, 1>(s);
    return esp::concatenate<0>(speed, -sin(angle));
  }
};
template <int Steps>
constexpr auto swing(auto const& s) {
  if constexpr (Steps == 0) {
    return s;
  } else {
    state_change const f;
    auto const k1 = f(s);
    auto const k2 = f(s + k1 * (step / 2));
    auto const k3 = f(s + k2 * (step / 2));
    auto const k4 = f(s + k3 * step);
    return swing<Steps - 1>(s + (k1 + 2 * k2 + 2 * k3 + k4) * (step / 6));
  }
}
/// The angle at the end.
struct end_angle {
  constexpr auto operator()(auto s) const { return sum(esp::slice<0, 0, 1>(swing<count>(s))); }
};

double angle_after(double angle, double speed) {
  for (int i = 0; i < count; ++i) {
    double const a1 = speed, w1 = -std::sin(angle), a2 = speed + w1 * step / 2, w2 = -std::sin(angle + a1 * step / 2);
    double const a3 = speed + w2 * step / 2, w3 = -std::sin(angle + a2 * step / 2), a4 = speed + w3 * step,
                 w4 = -std::sin(angle + a3 * step);
    angle += (a1 + 2 * a2 + 2 * a3 + a4) * step / 6;
    speed += (w1 + 2 * w2 + 2 * w3 + w4) * step / 6;
  }
  return angle;
}

}  // namespace

int main() {
  esp::tensor<double, esp::shape<2>> const start{1.0, 0.5};
  auto const [angle, gradient] = esp::value_and_grad(end_angle{})(start);
  double const h = 1e-5;
  double const by_angle = (angle_after(1 + h, 0.5) - angle_after(1 - h, 0.5)) / (2 * h);
  double const by_speed = (angle_after(1, 0.5 + h) - angle_after(1, 0.5 - h)) / (2 * h);
  std::printf("%.9f, gradient %.9f %.9f\n", angle, gradient(0), gradient(1));
  bool const right = std::abs(angle - angle_after(1, 0.5)) < 1e-12 && std::abs(gradient(0) - by_angle) < 1e-8 &&
                     std::abs(gradient(1) - by_speed) < 1e-8;
  return right ? 0 : 1;
}

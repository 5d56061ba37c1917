// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <memory>

#include "support/nets.hpp"

/// What tests of modules that change images at random share.
namespace augmentation {

using namespace test;
using esp::shape, esp::tensor;

/// Stores what a module makes of x in training.
template <class Module, class S>
struct Shown {
  Module module{};
  esp::buffer<S, nn::init::initialized_by<nn::init::zeros{}>> seen{};
  ESPALIER_MODULE(Shown, module, seen)
  constexpr auto forward(auto x) const {
    auto const y = module(x);
    return with_update(y, seen, y);
  }
};
template <class S>
using one_each = nn::detail::number_of_each_image<S>;
/// Stores two times a number for each image, as a module with one stream draws them.
template <class S>
struct Numbers {
  esp::random_stream stream{};
  esp::buffer<one_each<S>, nn::init::initialized_by<nn::init::zeros{}>> first{}, second{};
  ESPALIER_MODULE(Numbers, stream, first, second)
  constexpr auto forward(auto x) const {
    auto const u = esp::random_uniform<one_each<S>>{stream}, v = esp::random_uniform<one_each<S>>{stream};
    return with_update(with_update(x, first, u + 0), second, v + 0);
  }
};

template <class S>
auto images(std::uint64_t seed = 1) {
  return numbers<float, S>(seed, 0.5, 1);  // no zeros: those are the padding's
}
/// What a module makes of x in the first step of a model of this seed.
template <class Module, class S>
tensor<float, S> trained(tensor<float, S> const& x, std::uint64_t seed) {
  esp::model<Shown<Module, S>> model{esp::seed{seed}};
  (void)esp::value_and_grad(model, Weighted{})(x, x);
  tensor<float, S> y;
  auto const seen = model.buffer("seen").span();
  for (std::int64_t i = 0; i < S::size; ++i) y[i] = seen[i];
  return y;
}

template <class S, esp::image_layout L>
struct axes {
  static constexpr auto at_axis = S::value.at;
  static constexpr bool last = L == esp::nhwc;
  static constexpr int count = at_axis[0], channels = at_axis[last ? 3 : 1], height = at_axis[last ? 1 : 2],
                       width = at_axis[last ? 2 : 3];
  static float at(tensor<float, S> const& x, int n, int c, int i, int j) {
    return last ? x(n, i, j, c) : x(n, c, i, j);
  }
};

/// The module against a loop over the pixels that has the same random numbers.
template <class Module, class ByHand, class S, esp::image_layout L>
void check() {
  auto const x = images<S>();
  for (std::uint64_t const seed : {std::uint64_t{1}, std::uint64_t{2}}) {
    esp::model<Numbers<S>> drawn{esp::seed{seed}};
    (void)esp::value_and_grad(drawn, Weighted{})(x, x);
    auto const first = drawn.buffer("first").span(), second = drawn.buffer("second").span();
    auto const y = trained<Module>(x, seed);
    int wrong = 0;
    using in = axes<S, L>;
    for (int n = 0; n < in::count; ++n) {
      double const u[2] = {static_cast<double>(first[n]), static_cast<double>(second[n])};
      for (int c = 0; c < in::channels; ++c)
        for (int i = 0; i < in::height; ++i)
          for (int j = 0; j < in::width; ++j) wrong += in::at(y, n, c, i, j) != ByHand::pixel(x, n, c, i, j, u);
    }
    BOOST_TEST(wrong == 0);
  }
}

/// A table of parameters in front of the module, which is linear: the gradient of sum(y k) at the parameters p is the
/// same as the difference along a random direction d, (f(p + d) - f(p - d)) / 2, in the same step.
template <class Module, class S>
struct Learned {
  esp::parameter<S, nn::init::initialized_by<nn::init::normal{}>> pixels{};
  Module module{};
  ESPALIER_MODULE(Learned, pixels, module)
  constexpr auto forward(auto x) const { return module(x * 0 + pixels); }
};
template <class Module, class S>
void check_gradient() {
  auto const x = images<S>(), k = images<S>(2), d = numbers<float, S>(3);
  tensor<double, S> const weights{k}, input{x};
  auto const moved = [&](double by) {  // a model of its own: each is at its first step
    esp::model<Learned<Module, S>, esp::cpu, double> model{esp::seed{4}};
    auto const pixels = model.parameter("pixels").span();
    for (std::int64_t i = 0; i < S::size; ++i) pixels[i] += by * static_cast<double>(d[i]);
    return esp::value_and_grad(model, Weighted{})(input, weights);
  };
  auto const here = moved(0);
  double along = 0;
  auto const gradient = here.gradients.parameter("pixels").span();
  for (std::int64_t i = 0; i < S::size; ++i) along += gradient[i] * static_cast<double>(d[i]);
  BOOST_TEST(std::fabs(along) > 1e-3);
  BOOST_TEST(near(along, (moved(1).loss - moved(-1).loss) / 2, 1e-10), along);
}

}  // namespace augmentation

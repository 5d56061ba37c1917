// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nets.hpp"

/// Looking at a loss alone.
namespace test {

/// A net whose output is its only parameter, whatever its input.
template <class S>
struct Scores {
  espalier::parameter<S, nn::init::initialized_by<nn::init::zeros{}>> scores{};
  ESPALIER_MODULE(Scores, scores)
  constexpr auto forward(auto x) const { return scores + 0 * x; }
};

/// The loss and its gradients by the scores.
template <class T, class Loss, class S, class Target>
auto loss_of(espalier::tensor<T, S> const& z, Target const& target) {
  static espalier::model<Scores<S>, espalier::cpu, T> model;
  for (std::int64_t i = 0; i < S::size; ++i) model.parameter("scores").span()[i] = z[i];
  return espalier::value_and_grad(model, Loss{})(espalier::tensor<T, S>{}, target);
}

/// A loss as a function, for losses that are not one number.
template <class Loss>
struct calls {
  constexpr auto operator()(auto prediction, auto target) const { return Loss{}(prediction, target); }
};

}  // namespace test

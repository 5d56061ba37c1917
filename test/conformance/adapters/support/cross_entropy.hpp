// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "function.hpp"

namespace conformance {

namespace detail {
/// (N, C, rest...) as (N, rest..., C).
template <int Axis = 1>
constexpr auto classes_last(auto const& x) {
  if constexpr (Axis + 1 >= esp::shape_of<decltype(x)>::rank) return x * 1.0;
  else return classes_last<Axis + 1>(esp::transpose<Axis, Axis + 1>(x));
}
}  // namespace detail

/// Cross entropy of log-probabilities (or of scores, where Scores says so) over axis 1, with PyTorch's class weights, ignored label and label smoothing.
/// Reduction: 0 none, 1 sum, 2 the weighted mean.
template <bool Scores, int Reduction, int Ignored, double Smoothing>
struct cross_entropy_function {
  constexpr auto operator()(auto const& x, auto const& target) const {
    auto const kept = not_equal(target, Ignored);
    if constexpr (Smoothing == 0) return reduced(loss(x, kept, hot(x, target)), kept);
    else return reduced(loss(x, kept, hot(x, target) * (1 - Smoothing) + smooth(x)), kept);
  }
  constexpr auto operator()(auto const& x, auto const& target, auto const& weight) const {
    auto const kept = not_equal(target, Ignored);
    auto const weighted = hot(x, target) * weight;
    auto const of_sample = kept * esp::sum<-1>(weighted);
    if constexpr (Smoothing == 0) return reduced(loss(x, kept, weighted), of_sample);
    else return reduced(loss(x, kept, weighted * (1 - Smoothing) + weight * smooth(x)), of_sample);
  }

 private:
  template <class X>
  static constexpr int classes = esp::shape_of<X>::template extent<1>();
  template <class X>
  static constexpr double smooth(X const&) {
    return Smoothing / classes<X>;
  }
  template <class X>
  static constexpr auto hot(X const&, auto const& target) {
    return esp::one_hot<classes<X>>(target);
  }
  static constexpr auto loss(auto const& x, auto const& kept, auto const& weights) {
    if constexpr (Scores) return -kept * esp::sum<-1>(detail::classes_last(esp::log_softmax<1>(x)) * weights);
    else return -kept * esp::sum<-1>(detail::classes_last(x) * weights);
  }
  static constexpr auto reduced(auto const& loss, auto const& weight) {
    if constexpr (Reduction == 0) return loss;
    else if constexpr (Reduction == 1) return sum(loss);
    else return sum(loss) / sum(weight);
  }
};

template <class Case>
consteval int reduction_kind() {
  using found = attribute_of<Case, "reduction", word<"mean">>;
  if (std::is_same_v<found, word<"none">>) return 0;
  return std::is_same_v<found, word<"sum">> ? 1 : 2;
}

}  // namespace conformance

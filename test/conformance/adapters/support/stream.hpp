// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <vector>

#include <espalier/stream.hpp>

#include "module.hpp"

namespace conformance {

template <class List>
struct listed;
template <int... I>
struct listed<integers<I...>> {
  static constexpr int count = static_cast<int>(sizeof...(I));
  static constexpr int at[sizeof...(I) + 1]{I..., 0};
  static constexpr bool has(int i) { return ((i == I) || ...); }
};
template <>
struct listed<nothing> : listed<integers<>> {};

/// The states of a stream after its first block and after its last one.
template <class T>
struct stream_states {
  std::vector<T> first, last;
};

/// Feeds a sequence (T, channels) in the blocks of a case, one after the other. A block of another length has a stream
/// of its own, which continues from the state of the one before. The state is forgotten before some steps.
template <class Case, class T, class Net, class X, class Y>
stream_states<T> feed(esp::model<Net, esp::cpu, T> const& model, X const& x, Y& y) {
  constexpr int in = X::shape_type::template extent<1>(), out = Y::shape_type::template extent<1>();
  using resets = listed<attribute_of<Case, "reset_before_steps">>;
  int at = 0;
  stream_states<T> states;
  auto const one = [&]<int Steps>(std::integral_constant<int, Steps>) {
    esp::stream stream{model, esp::batch<1, Steps, in>{}};
    auto saved = stream.save();
    if (at != 0 && !resets::has(at)) {
      for (std::size_t i = 0; i < saved.size(); ++i) saved[i] = states.last[i];
      stream.restore(saved);
    }
    esp::tensor<T, esp::shape<1, Steps, in>> block;
    esp::tensor<T, esp::shape<1, Steps, out>> result;
    for (int i = 0; i < Steps * in; ++i) block[i] = x[at * in + i];
    stream(block, result);
    for (int i = 0; i < Steps * out; ++i) y[at * out + i] = result[i];
    saved = stream.save();
    states.last.assign(saved.begin(), saved.end());
    if (at == 0) states.first = states.last;
    at += Steps;
  };
  [&]<int... Steps>(integers<Steps...>) { (one(std::integral_constant<int, Steps>{}), ...); }
  (attribute_of<Case, "blocks">{});
  return states;
}

}  // namespace conformance

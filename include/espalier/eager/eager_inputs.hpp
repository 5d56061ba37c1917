// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <boost/hana/unpack.hpp>

#include "../expression/leaf.hpp"
#include "../plan/address.hpp"

namespace espalier::detail {

inline constexpr int max_numbers = 32;
/// The inputs of an eager program, in the order of tracing.
template <class T>
struct eager_inputs {
  T const* real[plan::base::max_arguments];
  std::int32_t const* labels[plan::base::max_arguments];
  bool const* flags[plan::base::max_arguments];
  T numbers[max_numbers];
  int arguments, number_count;

  constexpr void add(T const* data) { real[arguments++] = data; }
  constexpr void add(std::int32_t const* data) { labels[arguments++] = data; }
  constexpr void add(bool const* data) { flags[arguments++] = data; }
};

template <class T, class E>
constexpr void collect(eager_inputs<T>& in, E const& e) {
  if constexpr (requires { e.operands; })
    boost::hana::unpack(e.operands, [&](auto const&... x) { (collect(in, x), ...); });
  if constexpr (requires { e.a; }) collect(in, e.a);
  if constexpr (requires { e.b; }) collect(in, e.b);
  if constexpr (requires { e.c; }) collect(in, e.c);
}
template <class T, class U, class S, class Device>
constexpr void collect(eager_inputs<T>& in, borrowed<U, S, Device> const& x) {
  assert(
      !ended_since(x.data, x.since) &&
      "a formula refers to a destroyed tensor: a function with tensor parameters by value, or with local tensors, must return evaluate(formula)");
  in.add(x.data);
}
template <class T, class Tensor>
constexpr void collect(eager_inputs<T>& in, owned<Tensor> const& x) {
  in.add(x.value.data());
}
template <class T, class N>
constexpr void collect(eager_inputs<T>& in, number<N> const& x) {
  in.numbers[in.number_count++] = static_cast<T>(x.value);
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

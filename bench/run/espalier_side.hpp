// SPDX-License-Identifier: BSL-1.0
#pragma once
/// espalier's side of a row that is one function of tensors: esp::compiled, on the row's memory through views.
#include <espalier/eager/compiled.hpp>

#include <memory>

#include "harness.hpp"

namespace bench {

template <class... Shapes>
struct in {};
template <class... Shapes>
struct out {};
/// Labels among the inputs.
template <class Shape>
struct labels_of {};

template <class S>
struct operand_view {
  using const_view = espalier::view<float const, S>;
  static const_view at(float* p) { return const_view(p); }
};
template <class S>
struct operand_view<labels_of<S>> {
  using const_view = espalier::view<std::int32_t const, S>;
  static const_view at(float* p) { return const_view(reinterpret_cast<std::int32_t const*>(p)); }
};

template <class F, class Device, class... X, class... Y, std::size_t... I, std::size_t... J>
work compiled_work_of(operands o, Device device, in<X...>, out<Y...>, std::index_sequence<I...>,
                      std::index_sequence<J...>) {
  using run_type = decltype(espalier::compiled(device, F{}, operand_view<X>::at(nullptr)...));
  return {repeated(
      [run = std::make_shared<run_type>(device, F{}, operand_view<X>::at(nullptr)...),
       x = std::tuple{operand_view<X>::at(o.in[I])...},
       y = std::tuple{espalier::view<float, Y>(o.out[J])...}] { (*run)(std::get<I>(x)..., std::get<J>(y)...); })};
}
/// F's results for a row's operands. Device: the threads it runs on.
template <class F, class In, class Out, class Device = espalier::cpu>
work compiled_work(operands o) {
  return []<class... X, class... Y>(operands operand_pointers, in<X...> x, out<Y...> y) {
    return compiled_work_of<F>(operand_pointers, Device{}, x, y, std::index_sequence_for<X...>{},
                               std::index_sequence_for<Y...>{});
  }(o, In{}, Out{});
}

}  // namespace bench

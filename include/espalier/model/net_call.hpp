// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/check_indices.hpp"
#include "../device/in_place.hpp"
#include "../plan/narrow_program.hpp"
#include "net_programs.hpp"
#include "range_arguments.hpp"

/// What one call of a net reads and writes: its inputs, then its results. Models, predictors and frozen nets share it.
namespace espalier::detail {

template <class Elements>
inline constexpr bool are_on_host = false;
template <class E, std::int64_t Count>
inline constexpr bool are_on_host<elements_on<E, cpu, Count>> = true;

/// The tensors of a call of Net, of a model of T: their types, their sizes, and where an exchange places them.
template <class Net, class T, class Inputs, class Results,
          class Positions = std::make_integer_sequence<int, Inputs::count + Results::count>>
struct net_call;
template <class Net, class T, class... S, class... R, int... I>
struct net_call<Net, T, shapes<S...>, shapes<R...>, std::integer_sequence<int, I...>> {
  static constexpr int inputs = static_cast<int>(sizeof...(S)), results = static_cast<int>(sizeof...(R));
  template <int P>
  static constexpr bool is_input = P < inputs;
  template <int P>
  using shape_at = typename shapes<S..., R...>::template at<P>;
  /// The element type of tensor P.
  template <int P>
  using element_at = std::conditional_t<is_input<P>, stored_input<Net, T, P>, T>;
  template <int P>
  using passed_at = std::conditional_t<is_input<P>, element_at<P> const, element_at<P>>;
  template <int P>
  static constexpr std::size_t bytes_at = static_cast<std::size_t>(shape_at<P>::size) * sizeof(element_at<P>);

  struct offsets {
    std::size_t at[sizeof...(I) + 1];
  };
  static constexpr offsets in_exchange = [] {
    offsets r{};
    ((r.at[I + 1] = r.at[I] + bytes_for<element_at<I>>(static_cast<std::size_t>(shape_at<I>::size))), ...);
    return r;
  }();
  static constexpr std::size_t results_at = in_exchange.at[inputs], end = in_exchange.at[inputs + results];

  template <class Before, class Behind>
  struct sizes;
  template <int... A, int... Y>
  struct sizes<std::integer_sequence<int, A...>, std::integer_sequence<int, Y...>> {
    using inputs = sizes_in_bytes<bytes_at<A>...>;
    using results = sizes_in_bytes<bytes_at<net_call::inputs + Y>...>;
  };
  using sizes_of =
      sizes<std::make_integer_sequence<int, inputs>, std::make_integer_sequence<int, static_cast<int>(sizeof...(R))>>;
  template <class Program>
  using in_place = detail::in_place<Program, typename sizes_of::inputs, typename sizes_of::results>;

  /// Calls f(elements...) for the tensors, views and ranges of a call.
  /// errors  range_error
  template <class F, class... X>
  static constexpr void with_elements(char const* where, F const& f, X&... x) {
    f(elements<I>(where, x)...);
  }
  /// Throws index_error for an index outside its axis, and overlap_error for two results that share memory.
  template <class Program, class Exchange, class... X>
  static ESPALIER_INLINE void check([[maybe_unused]] char const* where, [[maybe_unused]] Exchange& exchange, X... x) {
    check_indices<Program>([&](int position, std::int64_t) {
      std::int32_t const* found = nullptr;
      ((position == I ? void(found = indices<I>(exchange, x)) : void()), ...);
      return found;
    });
    if constexpr (results > 1) {
      void const* const all[]{x.data...};
      check_results<typename sizes_of::results>(where, all + inputs, std::make_integer_sequence<int, results>{});
    }
  }
  /// Runs a program on these elements: launch() is called with their addresses in b.
  template <class Exchange, class Launch, class... X>
  static ESPALIER_INLINE void run(program_bases& b, Exchange& exchange, Launch const& launch, X... x) {
    ((b.at[is_input<I> ? plan::base::arguments + I : plan::base::results + I - inputs] = stage<I>(exchange, x)), ...);
    exchange.upload();
    launch();
    if constexpr (((!is_input<I> && are_on_host<X>) || ...)) exchange.download(results_at, end - results_at);
    (fetch<I>(exchange, x), ...);
  }

 private:
  template <int P, class X>
  static constexpr auto elements(char const* where, X& x) {
    decltype(auto) stored = as_tensor_or_view<passed_at<P>, shape_at<P>>(where, x);
    return elements_of<passed_at<P>>(stored);
  }
  template <int P, class Exchange, class X>
  static ESPALIER_INLINE void* stage(Exchange& exchange, X x) {
    if constexpr (is_input<P>) return exchange.stage_in(x, in_exchange.at[P]);
    else return exchange.stage_out(x, in_exchange.at[P]);
  }
  template <int P, class Exchange, class X>
  static ESPALIER_INLINE void fetch(Exchange& exchange, X x) {
    if constexpr (!is_input<P>) exchange.copy_out(x, in_exchange.at[P]);
  }
  template <int P, class Exchange, class X>
  static std::int32_t const* indices(Exchange& exchange, X x) {
    if constexpr (is_input<P> && std::is_same_v<element_at<P>, std::int32_t>)
      return exchange.view_on_host(x, in_exchange.at[P]);
    else return nullptr;
  }
};

/// The call of a net on a batch. Result: what the net returns for it.
template <class Net, class T, class Batch, class Result>
using call_of_net = net_call<Net, T, listed_shapes<Batch>, typename result_shapes<Result>::type>;

/// The tensors that a call returns.
template <class T, class Device, class Result>
struct returned_tensors {
  using type = tensor<T, shape_of<Result>, Device>;
};
template <class T, class Device, class... R>
struct returned_tensors<T, Device, std::tuple<R...>> {
  using type = std::tuple<tensor<T, shape_of<R>, Device>...>;
};
/// Calls f(y...) with these tensors.
template <class Y, class F>
constexpr decltype(auto) with_each(Y& y, F const& f) {
  if constexpr (TensorOrView<Y>) return f(y);
  else return std::apply(f, y);
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"

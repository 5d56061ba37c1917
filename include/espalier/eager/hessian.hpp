// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "jacobian_shape.hpp"

namespace espalier {
namespace detail {

/// The blocks of a Hessian: for each differentiated argument its row of blocks.
template <class T, class Rows, class Arguments = Rows>
struct hessian_blocks;
template <class T, class... Row, class Arguments>
struct hessian_blocks<T, std::tuple<Row...>, Arguments> {
  using type = std::tuple<typename joined_tensors<T, shape_of<Row>, Arguments>::type...>;
};
template <class Rows, class Arguments = Rows>
struct hessian_rank_fault;
template <class... Row, class Arguments>
struct hessian_rank_fault<std::tuple<Row...>, Arguments>
    : first_fault<typename rank_fault<shape_of<Row>, Arguments>::type...> {};

/// Runs the Hessian-vector product for each element of x: a Hessian is symmetric, so its column is its row.
template <class F, unsigned Differentiated, class... X>
constexpr auto compute_hessian(X&... x) {
  using T = result_element<X...>;
  using Arguments = differentiated_of<Differentiated, leaf_of_argument<X>...>;
  using Function = directional_gradient<F, Differentiated, sizeof...(X)>;
  typename hessian_blocks<T, Arguments>::type r{};
  typename directions_of<T, Arguments>::type v{};
  for (std::int64_t i = 0; i < elements_of_arguments<Arguments>; ++i) {
    set_direction(v, i, i - 1);
    std::apply(
        [&](auto&... each) {
          check_repeated<F, gradient_program<Function, Differentiated, false, leaf_of_argument<X>...,
                                             leaf_of_argument<decltype(each)>...>>();
          auto const rows = value_and_gradients<Function, Differentiated>(x..., each...).second;
          std::int64_t at = i;
          auto const copy = [&](auto& blocks, std::int64_t size) {
            if (at >= 0 && at < size)
              std::apply(
                  [&](auto const&... row) {
                    std::apply([&](auto&... block) { (copy_row(block, at, row), ...); }, blocks);
                  },
                  rows);
            at -= size;
          };
          std::apply([&](auto&... blocks) { (copy(blocks, each.size()), ...); }, r);
        },
        v);
  }
  if constexpr (std::tuple_size_v<Arguments> == 1) return std::get<0>(std::get<0>(std::move(r)));
  else return r;
}

template <class F, int... K>
struct hessian_function : rejects_numbers<1> {
  template <class... X>
    requires(RootArgument<X>&&...)
  constexpr auto operator()(X&&... x) const {
    using Fault = decltype(directional_call<F, required_result::number, K...>::template check<X...>());
    constexpr unsigned wanted = differentiated_arguments<derivatives::directions, void(X...), K...>;
    if constexpr (!Fault::agree) {
      return Fault{};
    } else {
      using Host = on_the_host<result_device<X...>>;
      static_assert(Host::agree, ESPALIER_SENTENCE("hessian(f)(x...): it is computed on the CPU; copy x with "
                                                   "x.to_host(), or use hvp",
                                                   Host));
      using Rank = typename hessian_rank_fault<differentiated_of<wanted, leaf_of_argument<X>...>>::type;
      static_assert(Rank::agree, ESPALIER_SENTENCE("hessian(f)(x...): the axes of two arguments together are more than "
                                                   "6; reshape x",
                                                   Rank));
      if constexpr (!Host::agree) return invalid<Host>{};
      else if constexpr (!Rank::agree) return invalid<Rank>{};
      else return compute_hessian<F, wanted>(argument_value(x)...);
    }
  }
  /// Does not compile: in the body of a function it would be a program for each row.
  template <BodyArgument... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&...) const { return invalid<called_outside<X...>>{}; }
  using rejects_numbers<1>::operator();
};

}  // namespace detail

/// hessian(f)(x...): the second derivatives of a function that returns one number. hessian<I...>(f) differentiates
/// these arguments only; models, integers and constant(x) are held constant. It runs hvp for each element of x. For
/// calls outside of other functions; in a body use hvp.
/// shape   x -> (axes of x, axes of x); for several arguments a std::tuple of rows, each a std::tuple of blocks
/// errors  f that captures, f that returns more than one number, and more than 6 axes do not compile
template <int... Arguments, class F>
constexpr auto hessian(F) {
  static_assert(!std::is_pointer_v<F>, ESPALIER_SENTENCE("hessian(f): " ESPALIER_NAME_OF_A_FUNCTION,
                                                         ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("hessian(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::hessian_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

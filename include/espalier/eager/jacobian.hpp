// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "jacobian_shape.hpp"

namespace espalier {
namespace detail {

/// Runs the pullback for each element of f(x...), or the tangent for each element of x, whichever is less often.
template <class F, unsigned Differentiated, class... X>
constexpr auto compute_jacobian(X&... x) {
  using T = result_element<X...>;
  using Arguments = differentiated_of<Differentiated, leaf_of_argument<X>...>;
  using S = shape_of<typename derivative::body_of_function<F, leaf_of_argument<X>...>::type>;
  constexpr std::int64_t rows = S::value.size(), columns = elements_of_arguments<Arguments>;
  typename joined_tensors<T, S, Arguments>::type r{};
  if constexpr (rows <= columns) {
    using Program = gradient_program<F, Differentiated, true, leaf_of_argument<X>...>;
    check_repeated<F, Program>();
    tensor<T, S> value{}, dy{};
    typename directions_of<T, Arguments>::type gradients{};
    for (std::int64_t row = 0; row < rows; ++row) {
      if (row != 0) dy[row - 1] = 0;
      dy[row] = 1;
      std::apply(
          [&](auto&... g) {
            T* const results[] = {value.data(), g.data()...};
            run_function<Program, T, cpu>(results, 1 + static_cast<int>(sizeof...(g)), x..., dy);
            std::apply([&](auto&... to) { (copy_row(to, row, g), ...); }, r);
          },
          gradients);
    }
  } else {
    typename directions_of<T, Arguments>::type dx{};
    for (std::int64_t column = 0; column < columns; ++column) {
      set_direction(dx, column, column - 1);
      std::apply(
          [&](auto&... v) {
            using Function = tangent<F, Differentiated, sizeof...(X)>;
            check_repeated<
                F, gradient_program<Function, 0u, false, leaf_of_argument<X>..., leaf_of_argument<decltype(v)>...>>();
            auto const y = std::get<0>(value_and_gradients<Function, 0u>(x..., v...).first);
            std::int64_t at = column;
            auto const copy = [&](auto& to, std::int64_t size) {
              if (at >= 0 && at < size)
                for (std::int64_t row = 0; row < rows; ++row) to[row * size + at] = y[row];
              at -= size;
            };
            std::apply([&](auto&... to) { (copy(to, v.size()), ...); }, r);
          },
          dx);
    }
  }
  return one_or_all(std::move(r));
}

template <class F, int... K>
struct jacobian_function : rejects_numbers<1> {
  template <class... X>
    requires(RootArgument<X>&&...)
  constexpr auto operator()(X&&... x) const {
    using Fault = decltype(directional_call<F, required_result::one, K...>::template check<X...>());
    constexpr unsigned wanted = differentiated_arguments<derivatives::directions, void(X...), K...>;
    if constexpr (!Fault::agree) {
      return Fault{};
    } else {
      using S = shape_of<typename derivative::body_of_function<F, leaf_of_argument<X>...>::type>;
      using Host = on_the_host<result_device<X...>>;
      static_assert(Host::agree, ESPALIER_SENTENCE("jacobian(f)(x...): it is computed on the CPU; copy x with "
                                                   "x.to_host(), or use vjp and jvp",
                                                   Host));
      using Rank = typename rank_fault<S, differentiated_of<wanted, leaf_of_argument<X>...>>::type;
      static_assert(Rank::agree, ESPALIER_SENTENCE("jacobian(f)(x...): the axes of f(x...) and of x together are more "
                                                   "than 6; reshape one of them",
                                                   Rank));
      if constexpr (!Host::agree) return invalid<Host>{};
      else if constexpr (!Rank::agree) return invalid<Rank>{};
      else return compute_jacobian<F, wanted>(argument_value(x)...);
    }
  }
  /// Does not compile: in the body of a function it would be a program for each row.
  template <BodyArgument... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&...) const { return invalid<called_outside<X...>>{}; }
  using rejects_numbers<1>::operator();
};

}  // namespace detail

/// jacobian(f)(x...): the derivatives of all elements of f(x...) for all elements of x. jacobian<I...>(f) computes
/// those for these arguments; models, integers and constant(x) are held constant. It runs vjp for each element of
/// f(x...), or jvp for each element of x, whichever is less often. For calls outside of other functions; in a body use
/// vjp or jvp.
/// shape   x -> (axes of f(x...), axes of x); a tensor for one argument, a std::tuple for several
/// errors  f that captures, f that returns several values, and more than 6 axes do not compile
template <int... Arguments, class F>
constexpr auto jacobian(F) {
  static_assert(!std::is_pointer_v<F>, ESPALIER_SENTENCE("jacobian(f): " ESPALIER_NAME_OF_A_FUNCTION,
                                                         ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("jacobian(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::jacobian_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

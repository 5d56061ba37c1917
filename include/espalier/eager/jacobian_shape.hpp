// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "directional_call.hpp"

/// Shapes and checks that jacobian and hessian share.
namespace espalier {

/// Constraints that errors name: a shape has at most `max_rank` axes; the arguments are in memory that the host reads.
template <class Result, class Argument>
struct joined_rank {
  ESPALIER_READS("the result has {}, the argument {}")
  static constexpr bool agree = Result::rank + Argument::rank <= max_rank;
};
template <class Device>
struct on_the_host {
  ESPALIER_READS("got {}")
  static constexpr bool agree = !detail::is_graphics<Device>;
};

/// A constraint that errors name: the arguments are tensors, not values of a body.
template <class... X>
struct called_outside {
  using is_of_a_call = void;
  static constexpr bool agree = false;
};
/// A constraint that errors name: each run of f computes the same function.
template <class F, bool Random, bool Updates>
struct same_in_each_run {
  static constexpr bool agree = !Random && !Updates;
};

namespace detail {

/// Whether a program changes buffers of a model, as BatchNorm does in training mode.
template <class Program>
inline constexpr bool updates_buffers = [] {
  constexpr auto const& p = plan::graph_of<Program>;
  for (int i = 0; i < p.output_count; ++i)
    if (p.outputs[i].where == graph::destination::buffer) return true;
  return false;
}();
/// Checks a program that jacobian or hessian runs for each row.
template <class F, class Program>
constexpr void check_repeated() {
  using Sound [[maybe_unused]] = typename sound_function<Program>::checked;
  using Same = same_in_each_run<F, is_random<Program>, updates_buffers<Program>>;
  static_assert(Same::agree,
                ESPALIER_SENTENCE("jacobian(f), hessian(f): they run f several times, and f uses random numbers or "
                                  "updates buffers of a model; write evaluate(model, x) in f",
                                  Same));
}

template <class A, class B>
struct joined_shape;
template <int... A, int... B>
struct joined_shape<shape<A...>, shape<B...>> {
  using type = shape<A..., B...>;
};

/// The element i of the differentiated argument that has it, counted through all of them, set to 1; the others are 0.
template <class... V>
constexpr void set_direction(std::tuple<V...>& directions, std::int64_t i, std::int64_t before) {
  auto const set = [&](std::int64_t at, int number) {
    auto const one = [&](auto& v) {
      if (at >= 0 && at < v.size())
        v[at] = static_cast<typename std::remove_reference_t<decltype(v)>::value_type>(number);
      at -= v.size();
    };
    std::apply([&](auto&... v) { (one(v), ...); }, directions);
  };
  if (before >= 0) set(before, 0);
  set(i, 1);
}
/// The number of elements of all arguments.
template <class Arguments>
inline constexpr std::int64_t elements_of_arguments = 0;
template <class... A>
inline constexpr std::int64_t elements_of_arguments<std::tuple<A...>> = (std::int64_t{shape_of<A>::value.size()} + ... +
                                                                         0);

/// Tensors of zeros with the shapes of these arguments.
template <class T, class Arguments>
struct directions_of;
template <class T, class... A>
struct directions_of<T, std::tuple<A...>> {
  using type = std::tuple<tensor<T, shape_of<A>>...>;
};
/// A tensor for each argument, with the shape of the result, then that of the argument.
template <class T, class S, class Arguments>
struct joined_tensors;
template <class T, class S, class... A>
struct joined_tensors<T, S, std::tuple<A...>> {
  using type = std::tuple<tensor<T, typename joined_shape<S, shape_of<A>>::type>...>;
};
/// The first argument with too many axes for a result of shape S, or `agreed`.
template <class S, class Arguments>
struct rank_fault;
template <class S, class... A>
struct rank_fault<S, std::tuple<A...>> : first_fault<joined_rank<S, shape_of<A>>...> {};

/// Copies the gradients, or the tangent, of one run into the tensors that jacobian or hessian returns.
template <class To, class From>
constexpr void copy_row(To& to, std::int64_t row, From const& from) {
  for (std::int64_t k = 0; k < from.size(); ++k) to[row * from.size() + k] = from[k];
}

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/philox.hpp"
#include "gradient.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// A gradient check for static_assert: a wrong pullback does not compile.
namespace espalier {

/// How a gradient is checked.
/// range   tolerance >= 0 (0: 1e-6 where the arguments are double, 1e-4 where they are float), step > 0
struct gradient_check {
  double tolerance = 0;
  double step = 1e-5;
  std::uint64_t seed = 0;
};

/// What a check found; true where both slopes agree.
struct gradient_comparison {
  double slope;       ///< along the direction, by the pullback
  double difference;  ///< along the direction, by a central difference
  double allowed;     ///< between the two
  constexpr explicit operator bool() const { return math::constant::abs(slope - difference) <= allowed; }
};

namespace detail {

/// Numbers in [-1, 1) that belong to argument k.
constexpr double direction_at(gradient_check const& how, int k, std::int64_t i) {
  return 2 * uniform_from_bits<double>(philox_bits(i, how.seed, static_cast<std::uint64_t>(k))) - 1;
}
/// What the elements of f's result weigh, in [1/2, 3/2): a stream that no argument has.
constexpr double weight_at(gradient_check const& how, std::int64_t i) { return uniform_from_bits<double>(philox_bits(i, how.seed, ~std::uint64_t{0})) + 0.5; }

template <class T>
constexpr double tolerance_of(gradient_check const& how) {
  return how.tolerance != 0 ? how.tolerance : std::is_same_v<T, float> ? 1e-4 : 1e-6;
}

/// An argument as doubles, moved along its direction; labels and truth values as they are.
template <class X>
constexpr auto moved_argument(X const& x, gradient_check const& how, int k, double by) {
  if constexpr (real_element<element_of<X>>) {
    tensor<double, shape_of<X>> r;
    for (std::int64_t i = 0; i < shape_of<X>::size; ++i) r[i] = static_cast<double>(x.data()[i]) + (by != 0 ? by * direction_at(how, k, i) : 0);
    return r;
  } else {
    return x;
  }
}

template <class F, class... X>
class gradient_checker {
  template <class U>
  using stored = typename argument_type<U>::type;
  using T = typename shared_element<stored<X>...>::type;
  static constexpr unsigned wanted = all_wanted<X...>();
  using Source = gradient_source<F, wanted, true, eager_leaf<stored<X>>...>;
  static constexpr auto const& program = plan::program_of<Source>;
  static constexpr std::int64_t result_size = program.nodes[program.outputs[0].id].shape.size();

 public:
  static constexpr gradient_comparison compare(gradient_check const& how, stored<X> const&... x) {
    double size = 0, value_size = 0, ignored = 0;
    double const slope = along(how, size, x...);
    double const ahead = value(how, how.step, value_size, x...), behind = value(how, -how.step, ignored, x...);
    // A difference of two rounded sums is known to so much only.
    double const rounding = 0x1p-50 * value_size / how.step;
    return {slope, (ahead - behind) / (2 * how.step), tolerance_of<T>(how) * size + rounding};
  }

 private:
  /// The pullback, in the arguments' own precision: sum of slope times direction, and of its magnitudes.
  static constexpr double along(gradient_check const& how, double& size, stored<X> const&... x) {
    T* const seed = new T[static_cast<std::size_t>(result_size)];
    for (std::int64_t i = 0; i < result_size; ++i) seed[i] = static_cast<T>(weight_at(how, i));
    eager_inputs<T> in{};
    (in.add(x.data()), ...);
    in.add(seed);
    int roots[sizeof...(X) + 1]{};
    for (int i = 1; i < program.output_count; ++i) roots[i - 1] = program.outputs[i].id;
    graph::interpreter<T> run{program.nodes, roots, program.output_count - 1};
    run.run(graph::leaf_values<T>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, nullptr});
    double sum = 0;
    int result = 0;
    for (int k = 0; k < static_cast<int>(sizeof...(X)); ++k) {
      if (!(wanted >> k & 1u)) continue;
      int const id = roots[result++];
      for (std::int64_t i = 0; i < program.nodes[id].shape.size(); ++i) {
        double const term = static_cast<double>(run.value(id)[i]) * direction_at(how, k, i);
        sum += term;
        size += math::constant::abs(term);
      }
    }
    delete[] seed;
    return sum;
  }

  /// f at moved arguments, in double: the weighted sum of its elements, and of their magnitudes.
  static constexpr double value(gradient_check const& how, double by, double& size, stored<X> const&... x) {
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      std::tuple const at{moved_argument(x, how, static_cast<int>(K), (wanted >> K & 1u) ? by : 0.0)...};
      eager_inputs<double> in{};
      (in.add(std::get<K>(at).data()), ...);
      int const root = program.outputs[0].id;
      graph::interpreter<double> run{program.nodes, &root, 1};
      run.run(graph::leaf_values<double>{in.real, in.labels, in.flags, nullptr, nullptr, nullptr, nullptr});
      double sum = 0;
      for (std::int64_t i = 0; i < result_size; ++i) {
        double const term = run.value(root)[i] * static_cast<double>(static_cast<T>(weight_at(how, i)));
        sum += term;
        size += math::constant::abs(term);
      }
      return sum;
    }(std::index_sequence_for<X...>{});
  }
};

template <class F>
struct gradient_agrees_function {
  gradient_check how;

  template <TensorArgument... X>
  constexpr auto operator()(X const&... x) const {
    static_assert(sizeof(first_look_at_function<F, leaf_of_argument<X>...>) > 0);  // first: an error in the body of f comes by a short way
    using Fault = fault_of_function<F, false, leaf_of_argument<X>...>;
    static_assert(Fault::elements, ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments, ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes, ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::returned, ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs, ESPALIER_SENTENCE("gradient_agrees(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    if constexpr (Fault::agree) return gradient_checker<F, X...>::compare(how, argument_value(x)...);
    else return true;  // said above, and nothing to be added to it
  }
};

}  // namespace detail

/// gradient_agrees(f)(x...): whether the pullbacks in f agree with f itself, along one random direction through x: the slope by reverse differentiation
/// against a central difference, computed by the compiler. One direction finds a wrong slope wherever it is, at the cost of two values and one gradient.
///
///     inline constexpr auto f = [](auto x, auto w) { return sum(own_op(matmul(x, w))); };
///     static_assert(esp::gradient_agrees(f)(x, w));
///     constexpr auto found = esp::gradient_agrees(f)(x, w);       // found.slope, found.difference, found.allowed: for a look at a failure
///
/// shape      as vjp: f may return any shape; its elements are summed with random weights. constant(x), labels and truth values are not moved
/// direction  and weights: Philox under how.seed, so that a check is the same on every compiler; gradient_agrees(f, {.seed = 1}) takes another one
/// tolerance  1e-6 (float arguments: 1e-4) of the sum of |slope times direction| over all elements, beside what rounding makes of a difference with
///            step 1e-5. Differences are taken in double; the gradient is computed in the arguments' type
/// range      x away from kinks (relu at 0, a maximum of equal elements), where differences and slopes mean different things
/// order      f may have grad in it, so that slopes of slopes are checked by the same call
/// errors     f that captures and f whose shapes do not fit do not compile
/// cost       by the interpreter: no kernels are instantiated; about as much as three evaluations of grad(f) in a constant expression
template <class F>
constexpr auto gradient_agrees(F, gradient_check how = {}) {
  static_assert(captureless<F>::agree, ESPALIER_SENTENCE("gradient_agrees(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::gradient_agrees_function<F>{how};
  else return refused<captureless<F>>{};
}

}  // namespace espalier
#pragma GCC diagnostic pop

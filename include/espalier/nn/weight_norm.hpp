// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/text.hpp"
#include "../operation/unit.hpp"
#include "norm_family.hpp"

namespace espalier::nn {

/// Named relation: the requirements of WeightNorm on a module. It has a parameter `weight` whose last axis counts the
/// output units. Its formula is a function of the weight, which forward(x) calls with the parameter itself:
///   constexpr auto forward_with(auto x, auto const& weight) const
/// There are no other requirements: the other members keep their names and their part in the formula.
template <class M>
struct has_forward_with_weight {
  static constexpr bool agree = false;
};
template <class M>
  requires requires(M const& inner) {
    typename decltype(M::weight)::is_parameter;
    inner.forward_with(invalid<>{}, inner.weight);
  }
struct has_forward_with_weight<M> {
  static constexpr bool agree = decltype(M::weight)::shape_type::rank >= 2;
};

namespace detail {

/// The initial length of each unit's weights. It generates the random numbers of the tensor numbered just before
/// (weight_v) again.
template <class Initializer, std::int64_t Elements>
struct lengths_of {
  static constexpr init::distribution needs = init::distribution::none;
  template <class T>
  constexpr T from_random(T) const {
    return T(1);
  }
  template <class T>
  constexpr void fill(span<T> lengths, init::stream from) const {
    constexpr auto scheme = Initializer::value;
    for (T& length : lengths) length = T(0);
    for (std::int64_t i = 0; i < Elements; i += 4) {
      init::detail::random_numbers random{};
      if constexpr (scheme.needs != init::distribution::none)
        random =
            init::detail::random_block<scheme.needs>({from.seed, from.number - 1}, static_cast<std::uint64_t>(i) / 4);
      for (int k = 0; k < 4 && i + k < Elements; ++k) {
        T const v = static_cast<T>(scheme.from_random(random.at[k]));
        lengths[(i + k) % lengths.size()] += v * v;
      }
    }
    for (T& length : lengths) length = math::sqrt(length);
  }
};

/// 1 along every axis except the last.
template <class S>
struct units {
  static constexpr extents value = reduced_extents(S::value, all_axes(S::rank - 1), true);
};
template <class M, bool = has_forward_with_weight<M>::agree>
struct length_of_units {
  using type = absent;
};
template <class M>
struct length_of_units<M, true> {
  using weight = decltype(M::weight);
  static constexpr lengths_of<typename weight::initializer_type, shape_of<weight>::size> scheme{};
  using type = parameter<shape_from<units<shape_of<weight>>>, init::initialized_by<scheme>>;
};

}  // namespace detail

/// M with the weight w = g v / |v|, where |v| is the length of each output unit's weights. So length and direction are
/// learnt separately. Initially w is the weight of M. The parameters are those of M, with weight_v (in the position of
/// weight) and weight_g instead of weight.
/// shape   that of M; weight_v as weight, weight_g the same with extent 1 along all axes except the last
/// range   where v = 0 for a whole unit, w = 0 and v gets the gradient 0
/// errors  a module without its formula as a function of the weight does not compile
/// saves   v / |v|, 1 / |v|
/// gradient  closed form of unit
/// source  Salimans and Kingma 2016
template <class M>
struct WeightNorm {
  static constexpr bool options_fit = !requires { requires !M::options_fit; };
  static constexpr bool numbers_fit = has_forward_with_weight<M>::agree;
  M module = nn::detail::numbers_reported<number_report::report()>{};
  typename detail::length_of_units<M>::type weight_g{};

  using is_module = void;
  template <class Self>
  static auto member_types_of(Self&) -> detail::types<M>;
  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    M::visit_members(self.module, [&](char const* name, auto& member) {
      if (espalier::detail::same_text(name, "weight")) {
        visit("weight_v", member);
        visit("weight_g", self.weight_g);
      } else {
        visit(name, member);
      }
    });
  }
  /// weight_v and weight_g have the axes of weight.
  static constexpr axis_order in_pytorch(char const* member, extents const& shape) {
    bool const of_weight =
        espalier::detail::same_text(member, "weight_v") || espalier::detail::same_text(member, "weight_g");
    return nn::in_pytorch<M>(of_weight ? "weight" : member, shape);
  }
  template <class X>
  constexpr auto operator()(X&& x) const {
    if constexpr (espalier::detail::marked_tensor<X>)
      return espalier::detail::apply_module_to_temporary(*this, static_cast<X&&>(x));
    else return espalier::detail::apply_module(*this, x);
  }
  constexpr auto forward(auto x) const {
    using S = shape_of<decltype(module.weight)>;
    constexpr unsigned inputs = detail::all_axes(S::rank - 1);
    return module.forward_with(x, espalier::detail::unit_masked<inputs>(module.weight, 0) * weight_g);
  }

  /// Reports numbers that do not fit, for a root of the net.
  struct number_report {
    static constexpr auto report() {
      static_assert(
          has_forward_with_weight<M>::agree,
          ESPALIER_SENTENCE(
              "nn::WeightNorm<M>: M must have a parameter `weight` (inputs..., units) and a function forward_with(x, weight)",
              has_forward_with_weight<M>));
      return true;
    }
  };
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"

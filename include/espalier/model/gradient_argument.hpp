// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "assign.hpp"

/// Gradients of a model as an argument of a compiled function, which may change them: sums over several batches.
namespace espalier {

namespace detail {

template <class X>
inline constexpr bool is_gradients = false;
template <class Net, class T, class Device>
inline constexpr bool is_gradients<gradients<Net, T, Device>> = true;
/// Gradients as an argument of a function, const or not.
template <class X>
concept GradientsArgument = is_gradients<std::remove_const_t<X>>;

template <class Gradients>
struct gradients_leaf {
  using shape_type = typename Gradients::gradients_of;
  using element_type = typename Gradients::value_type;
};
template <class Gradients>
struct device_of_impl<gradients_leaf<Gradients>> {
  using type = typename Gradients::device_type;
};
template <class Gradients>
struct body_argument<gradients_leaf<Gradients>> {
  using type = traced_net<typename Gradients::gradients_of>;
};
template <GradientsArgument X>
struct eager_leaf_of<X> {
  using type = gradients_leaf<X>;
};
template <GradientsArgument X>
struct argument_type<X> {
  using type = X;
  static constexpr bool differentiated = false;
};

/// In the body they are a net whose trainable parameters are the gradients. Those of frozen parameters are 0.
template <class Gradients>
struct function_argument<gradients_leaf<Gradients>> {
  using Net = typename Gradients::gradients_of;
  static constexpr tensor_slots const& own = slots_of<Net>.parameters;
  static constexpr bool may_change = !std::is_const_v<Gradients>;
  static constexpr int tensors = 0, states = 1, parameters = own.count, buffers = 0, streams = 0, vectors = 1,
                       numbers = 0;
  static constexpr traced_net<Net> add(tracing::tracer& t) {
    traced_net<Net> net{numbered<Net>, t.next_vector++};
    tracing::visit_leaves(net, [&](auto& leaf, bool trainable) {
      leaf.tracer = &t;
      leaf.slot += t.next_parameter;
      if (!trainable)
        leaf.node = operation::emit_constant(t.nodes(), 0, shape_of<std::remove_reference_t<decltype(leaf)>>::value).id;
    });
    t.next_parameter += parameters;
    return net;
  }
  static constexpr void lay_out(plan::address* parameter, plan::address*, plan::address* vector, argument_address at) {
    for (int i = 0; i < parameters; ++i) parameter[i] = {at.state, own.offset[i]};
    *vector = {at.state, 0};
  }
  static constexpr int lay_out_gradients(plan::address*, int) { return 0; }
  struct bound {
    explicit bound(Gradients& gradients) : of{&gradients} {}
    Gradients* of;
  };
  static void const* memory(bound const& b) { return b.of->span().data(); }
  template <class Program, class Address, class T>
  static void fill(bound const& b, void** base, T*) {
    base[Address::state] = const_cast<void*>(memory(b));
  }
  template <class Program, class Address, class Bound, class T>
  static void finish(Bound&, T const*) {}
};

}  // namespace detail

/// accumulate(total, gradients): total = total + gradients, parameter by parameter, in the body of a compiled function.
/// `total` is an argument of type esp::gradients. Several batches are summed before one update, without allocating:
///     auto const [loss, gradients] = esp::value_and_grad<0>(classify)(net, x, y);
///     accumulate(total, gradients);
/// shape     gradients of one net
/// errors    as assign
/// gradient  none: it is an update
template <class Net, class Gradients>
constexpr void accumulate(traced_net<Net> const& total, Gradients const& gradients) {
  assign(total, map_parameters([](auto sum, auto g) { return sum + g; }, total, gradients));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

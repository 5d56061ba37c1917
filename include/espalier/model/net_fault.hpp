// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../nn/module.hpp"

/// The fault of a net as a module, whatever its input, and of a batch that is no shape.
namespace espalier {

/// Named relation: a batch is a shape.
template <class Batch>
struct is_batch {
  static constexpr bool agree = is_shape<Batch>;
};

/// Named relation: a net that lists the elements of its inputs has as many inputs.
template <class Net, int Listed, int Got>
struct input_elements_listed {
  ESPALIER_READS("input_element of {} lists {} inputs, got {}")
  static constexpr bool agree = Listed == Got;
};
/// Named relation: forward of a net returns one value, where no more are possible.
template <class Net, class... Results>
struct forward_returns_one {
  ESPALIER_READS("forward of {} returns {...}")
  static constexpr bool agree = false;
};

#define ESPALIER_IS_NET "the net is not a module; write ESPALIER_MODULE(Net, members...) in it"
#define ESPALIER_NET_IS_PUBLIC \
  "ESPALIER_MODULE is in the private part of the net; write `struct` instead of `class`, or `public:` before the members"

namespace detail {

template <class Net>
struct is_net {
  static constexpr bool agree = nn::Module<Net>;
};
template <class Net>
struct net_is_public {
  ESPALIER_READS("got {}")
  static constexpr bool agree = !nn::detail::hides_its_module<Net>;
};

/// The fault of a net as a module, for any input; `agreed` if there is none.
template <class Net>
constexpr auto module_fault_of() {
  if constexpr (!is_net<Net>::agree) return invalid<is_net<Net>>{};
  else if constexpr (!nn::member_fault<Net>::agree) return invalid<nn::member_fault<Net>>{};
  else return agreed{};
}
template <class Net>
using net_fault = decltype(module_fault_of<Net>());

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

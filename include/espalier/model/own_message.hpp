// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "net_fault.hpp"

/// The sentences of faults that have their own, for all roots. They are said once.
namespace espalier {

#define ESPALIER_INPUT_IS_SHAPE "the input of a net is written esp::batch<N, ...>: its extents are template arguments"
#define ESPALIER_FORWARD_FITS \
  "a module has no `forward` for its inputs; write `constexpr auto forward(auto x) const`, with `auto` for each input"
#define ESPALIER_FORWARD_TAKES                                                                                   \
  "a module got another number of inputs than its `forward` takes; targets are no input: value_and_grad(model, " \
  "loss)(x, y) compares an output with them"
#define ESPALIER_INPUTS_LISTED                                                                                      \
  "`input_element` of a net of several inputs lists an element for each: `using input_element = std::tuple<float, " \
  "std::int32_t>;`"
#define ESPALIER_FORWARD_RETURNS_ONE                                                                                 \
  "`forward` of the net returns several values, which model(x), predictor and frozen accept; train it by a step of " \
  "your own: esp::compiled of a function that calls net(x)"
#define ESPALIER_FORWARD_IS_CONST "`forward` of a module must be const; write `constexpr auto forward(auto x) const`"
// clang evaluates neither the standard library's functions of numbers nor a lambda that captures structured bindings
// by [&] or [=]; g++ does.
#if defined(__clang__)
#define ESPALIER_NOT_BY_CLANG                                                                                     \
  "; clang runs no std::sqrt and its like, and a lambda that captures names of `auto [p, q]` must write [p = p, " \
  "q = q] in place of [&]"
#else
#define ESPALIER_NOT_BY_CLANG ""
#endif
#define ESPALIER_FORWARD_IS_CONSTEXPR                                                                      \
  "a `forward` cannot be run by the compiler; write `constexpr auto forward(auto x) const`, and use only " \
  "values that are known at compile time" ESPALIER_NOT_BY_CLANG
#define ESPALIER_FORWARD_ENDS "`forward` of a module calls the module itself, without end; call its members"
#define ESPALIER_FORWARD_IS_GENERIC \
  "the parameters of `forward` must not be tensors: the formula is generic; write `constexpr auto forward(auto x) const`"
#define ESPALIER_FORWARD_RETURNS \
  "`forward` must return a formula of its inputs, such as `return relu(x);`; it returns a number or nothing"

namespace detail {

/// The sentence of a fault that has one of its own, for all roots. `report` is a function because its result is usable
/// after a failed assertion; a class with a failed assertion would not be a constant (clang).
template <class Found>
struct own_message {
  static constexpr bool exists = false;
  static constexpr auto report() { return true; }
};
struct existing_message {
  static constexpr bool exists = true;
};
template <class... Path>
struct own_message<invalid<already_reported, Path...>> : existing_message {
  static constexpr auto report() { return true; }
};
template <class M, class... S, class... Path>
struct own_message<invalid<has_forward<M, S...>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(has_forward<M, S...>::agree,
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_FITS, invalid<has_forward<M, S...>, Path...>));
    return true;
  }
};
template <class M, int Takes, int Got, class... Path>
struct own_message<invalid<forward_takes<M, Takes, Got>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_takes<M, Takes, Got>::agree,
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_TAKES, invalid<forward_takes<M, Takes, Got>, Path...>));
    return true;
  }
};
template <class Net, int Listed, int Got, class... Path>
struct own_message<invalid<input_elements_listed<Net, Listed, Got>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(input_elements_listed<Net, Listed, Got>::agree,
                  ESPALIER_SENTENCE(ESPALIER_INPUTS_LISTED, input_elements_listed<Net, Listed, Got>));
    return true;
  }
};
template <class Net, class... R, class... Path>
struct own_message<invalid<forward_returns_one<Net, R...>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_returns_one<Net, R...>::agree,
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_RETURNS_ONE, forward_returns_one<Net, R...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<forward_is_const<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_is_const<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_IS_CONST, invalid<forward_is_const<M>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<forward_is_generic<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_is_generic<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_IS_GENERIC, invalid<forward_is_generic<M>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<forward_ends<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_ends<M>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_ENDS, invalid<forward_ends<M>, Path...>));
    return true;
  }
};
template <class Net, class... Path>
struct own_message<invalid<forward_is_constexpr<Net>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_is_constexpr<Net>::agree || is_reported<value_as_number, Net>(),
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_IS_CONSTEXPR, invalid<forward_is_constexpr<Net>, Path...>));
    return true;
  }
};
template <class M, class Result, class... Path>
struct own_message<invalid<forward_returns<M, Result>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(forward_returns<M, Result>::agree,
                  ESPALIER_SENTENCE(ESPALIER_FORWARD_RETURNS, invalid<forward_returns<M, Result>, Path...>));
    return true;
  }
};
template <class Net, class... Path>
struct own_message<invalid<is_net<Net>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(net_is_public<Net>::agree, ESPALIER_SENTENCE(ESPALIER_NET_IS_PUBLIC, net_is_public<Net>));
    static_assert(is_net<Net>::agree || !net_is_public<Net>::agree, ESPALIER_SENTENCE(ESPALIER_IS_NET, is_net<Net>));
    return true;
  }
};
template <class Batch, class... Path>
struct own_message<invalid<is_batch<Batch>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(is_batch<Batch>::agree, ESPALIER_SENTENCE(ESPALIER_INPUT_IS_SHAPE, is_batch<Batch>));
    return true;
  }
};
template <class M, int Members, int Listed, class... Path>
struct own_message<invalid<nn::listed_members<M, Members, Listed>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::listed_members<M, Members, Listed>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, invalid<nn::listed_members<M, Members, Listed>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<nn::distinct_members<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::distinct_members<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_DISTINCT, invalid<nn::distinct_members<M>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<nn::declared_members<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::declared_members<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, invalid<nn::declared_members<M>, Path...>));
    return true;
  }
};
template <class M, class Member, class... Path>
struct own_message<invalid<nn::member_objects<M, Member>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::member_objects<M, Member>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, invalid<nn::member_objects<M, Member>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<nn::module_numbers<M>, Path...>> : existing_message, M::number_report {};
template <class M, int... Extents, class... Path>
struct own_message<invalid<nn::member_shape<M, Extents...>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::member_shape<M, Extents...>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_HAVE_SHAPES, nn::member_shape<M, Extents...>));
    return true;
  }
};
template <class M, class Member, class... Path>
struct own_message<invalid<nn::member_begins<M, Member>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::member_begins<M, Member>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_BEGIN, invalid<nn::member_begins<M, Member>, Path...>));
    return true;
  }
};
template <class M, class Member, class... Path>
struct own_message<invalid<nn::initial_numbers<M, Member>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::initial_numbers<M, Member>::agree,
                  ESPALIER_SENTENCE(ESPALIER_INITIAL_NUMBERS, invalid<nn::initial_numbers<M, Member>, Path...>));
    return true;
  }
};
template <class M, class Member, class... Path>
struct own_message<invalid<nn::member_has_shape<M, Member>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::member_has_shape<M, Member>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBER_HAS_SHAPE, invalid<nn::member_has_shape<M, Member>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<nn::layer_is_module<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::layer_is_module<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_LAYER_IS_MODULE, invalid<nn::layer_is_module<M>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<nn::aggregate_module<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::aggregate_module<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MODULE_IS_AGGREGATE, invalid<nn::aggregate_module<M>, Path...>));
    return true;
  }
};
template <class M, class... Path>
struct own_message<invalid<nn::without_base_class<M>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::without_base_class<M>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MODULE_HAS_NO_BASE, invalid<nn::without_base_class<M>, Path...>));
    return true;
  }
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

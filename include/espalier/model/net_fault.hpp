// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../nn/module.hpp"
#include "../trace/trace.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Whether a net fits its input, and the sentences for what does not. A mistake stays one error, however many roots (output_shape, model, trainer,
/// predictor, ...) see it.
namespace espalier {

/// Named relation of a net and its input; a root shows it with the facts that travelled up.
template <class Found>
struct layers_fit {
  static constexpr bool value = !is_refused<Found>;
};

#define ESPALIER_LAYERS_FIT \
  "a layer does not fit its input" ESPALIER_WHERE_IT_STANDS("; refused<...> holds what disagrees, then the way to it from the inside out")
#define ESPALIER_IS_NET "model<Net>: the net is no module; write ESPALIER_MODULE(Net, members...) in it"
#define ESPALIER_NET_IS_PUBLIC \
  "model<Net>: ESPALIER_MODULE is in the private part of the net; write `struct` instead of `class`, or `public:` before the members"
#define ESPALIER_FORWARD_FITS \
  "a module has no `forward` for its inputs; write `constexpr auto forward(auto x) const`, with `auto` for each input"
#define ESPALIER_FORWARD_IS_CONST "`forward` of a module must be const; write `constexpr auto forward(auto x) const`"
#define ESPALIER_FORWARD_IS_CONSTEXPR \
  "a `forward` cannot be run by the compiler; write `constexpr auto forward(auto x) const`, and use nothing in it that is known at run time only"
#define ESPALIER_FORWARD_ENDS "`forward` of a module calls the module itself, without end; call its members"
#define ESPALIER_FORWARD_TAKES_AUTO \
  "`forward` takes no tensors: its formula is written for any operand; write `constexpr auto forward(auto x) const`"
#define ESPALIER_FORWARD_RETURNS \
  "`forward` must return a formula of its inputs, such as `return relu(x);`; it returns a number or nothing"

namespace detail {

template <class Net>
struct is_net {
  static constexpr bool agree = nn::Module<Net>;
};
template <class Net>
struct net_is_public {
  ESPALIER_READS("given {}")
  static constexpr bool agree = !nn::detail::hides_its_module<Net>;
};

/// What is wrong with a net as a module, whatever its input is; `agreed` where nothing is.
template <class Net>
constexpr auto module_fault_of() {
  if constexpr (!is_net<Net>::agree) return refused<is_net<Net>>{};
  else if constexpr (!nn::well_made<Net>::agree) return refused<nn::well_made<Net>>{};
  else return agreed{};
}
template <class Net>
using net_fault = decltype(module_fault_of<Net>());

template <class Found, class Root>
struct unsaid_fault {
  using type = agreed;
};
template <class... Facts, class Root>
  requires(!said_before<refused<Facts...>, Root>())
struct unsaid_fault<refused<Facts...>, Root> {
  using type = refused<Facts...>;
};
/// Found, if it is a fault that no other root has said; else `agreed`. Root: a type of the root's own. Only to be asked for in a static_assert.
template <class Found, class Root>
using unsaid = typename unsaid_fault<Found, Root>::type;

template <class Found>
inline constexpr bool has_words = false;
template <class... Path>
inline constexpr bool has_words<refused<said_already, Path...>> = true;
template <class M, class... S, class... Path>
inline constexpr bool has_words<refused<has_forward<M, S...>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<forward_is_const<M>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<forward_takes_auto<M>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<forward_ends<M>, Path...>> = true;
template <class Net, class... Path>
inline constexpr bool has_words<refused<forward_is_constexpr<Net>, Path...>> = true;
template <class M, class Result, class... Path>
inline constexpr bool has_words<refused<forward_returns<M, Result>, Path...>> = true;
template <class Net, class... Path>
inline constexpr bool has_words<refused<is_net<Net>, Path...>> = true;
template <class M, int Members, int Listed, class... Path>
inline constexpr bool has_words<refused<nn::listed_members<M, Members, Listed>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<nn::distinct_members<M>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<nn::known_members<M>, Path...>> = true;
template <class M, class Member, class... Path>
inline constexpr bool has_words<refused<nn::member_objects<M, Member>, Path...>> = true;
template <class M, class Member, class... Path>
inline constexpr bool has_words<refused<nn::member_begins<M, Member>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<nn::layer_is_module<M>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<nn::aggregate_module<M>, Path...>> = true;
template <class M, class... Path>
inline constexpr bool has_words<refused<nn::without_base_class<M>, Path...>> = true;

template <class... Path>
constexpr auto say_in_words(refused<said_already, Path...>) {
  return true;
}
template <class M, class... S, class... Path>
constexpr auto say_in_words(refused<has_forward<M, S...>, Path...>) {
  static_assert(has_forward<M, S...>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_FITS, refused<has_forward<M, S...>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<forward_is_const<M>, Path...>) {
  static_assert(forward_is_const<M>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_IS_CONST, refused<forward_is_const<M>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<forward_takes_auto<M>, Path...>) {
  static_assert(forward_takes_auto<M>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_TAKES_AUTO, refused<forward_takes_auto<M>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<forward_ends<M>, Path...>) {
  static_assert(forward_ends<M>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_ENDS, refused<forward_ends<M>, Path...>));
  return true;
}
template <class Net, class... Path>
constexpr auto say_in_words(refused<forward_is_constexpr<Net>, Path...>) {
  static_assert(forward_is_constexpr<Net>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_IS_CONSTEXPR, refused<forward_is_constexpr<Net>, Path...>));
  return true;
}
template <class M, class Result, class... Path>
constexpr auto say_in_words(refused<forward_returns<M, Result>, Path...>) {
  static_assert(forward_returns<M, Result>::agree, ESPALIER_SENTENCE(ESPALIER_FORWARD_RETURNS, refused<forward_returns<M, Result>, Path...>));
  return true;
}
template <class Net, class... Path>
constexpr auto say_in_words(refused<is_net<Net>, Path...>) {
  return true;  // a model says so
}
template <class M, int Members, int Listed, class... Path>
constexpr auto say_in_words(refused<nn::listed_members<M, Members, Listed>, Path...>) {
  static_assert(nn::listed_members<M, Members, Listed>::agree, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, refused<nn::listed_members<M, Members, Listed>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<nn::distinct_members<M>, Path...>) {
  static_assert(nn::distinct_members<M>::agree, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DISTINCT, refused<nn::distinct_members<M>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<nn::known_members<M>, Path...>) {
  static_assert(nn::known_members<M>::agree, ESPALIER_SENTENCE(ESPALIER_MEMBERS_KNOWN, refused<nn::known_members<M>, Path...>));
  return true;
}
template <class M, class Member, class... Path>
constexpr auto say_in_words(refused<nn::member_objects<M, Member>, Path...>) {
  static_assert(nn::member_objects<M, Member>::agree, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, refused<nn::member_objects<M, Member>, Path...>));
  return true;
}
template <class M, class Member, class... Path>
constexpr auto say_in_words(refused<nn::member_begins<M, Member>, Path...>) {
  static_assert(nn::member_begins<M, Member>::agree, ESPALIER_SENTENCE(ESPALIER_MEMBERS_BEGIN, refused<nn::member_begins<M, Member>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<nn::layer_is_module<M>, Path...>) {
  static_assert(nn::layer_is_module<M>::agree, ESPALIER_SENTENCE(ESPALIER_LAYER_IS_MODULE, refused<nn::layer_is_module<M>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<nn::aggregate_module<M>, Path...>) {
  static_assert(nn::aggregate_module<M>::agree, ESPALIER_SENTENCE(ESPALIER_MODULE_IS_AGGREGATE, refused<nn::aggregate_module<M>, Path...>));
  return true;
}
template <class M, class... Path>
constexpr auto say_in_words(refused<nn::without_base_class<M>, Path...>) {
  static_assert(nn::without_base_class<M>::agree, ESPALIER_SENTENCE(ESPALIER_MODULE_HAS_NO_BASE, refused<nn::without_base_class<M>, Path...>));
  return true;
}
constexpr auto say_in_words(agreed) { return true; }
struct words_root {};
/// What say_in_words is asked with: static_assert(sizeof(detail::say_in_words(detail::in_words<Found>{})) != 0) in a root says, once, a fault that has a
/// sentence of its own. A function: what it returns is right where a class with an assertion that fails would not be a constant (clang).
template <class Found>
using in_words = unsaid<std::conditional_t<has_words<Found>, Found, agreed>, words_root>;
/// The others, which a root says itself: static_assert(layers_fit<detail::in_facts<Found, Root>>::value, ...).
template <class Found, class Root>
using in_facts = unsaid<std::conditional_t<has_words<Found>, agreed, Found>, Root>;

/// The relation of a fault of the list of members that a model says itself; well_made where there is none.
template <class Found>
struct list_fault {
  using type = nn::detail::well_made;
};
template <class Relation, class... Path>
  requires requires { requires !(Relation::known && Relation::complete && Relation::objects); }
struct list_fault<refused<Relation, Path...>> {
  using type = Relation;
};
template <class Net, class Root>
constexpr auto unsaid_list_fault() {
  if constexpr (list_fault<net_fault<Net>>::type::agree) return nn::detail::well_made{};
  else return typename list_fault<unsaid<net_fault<Net>, Root>>::type{};
}
/// Root: a type of the root's own.
template <class... Facts>
struct root_at {};

/// The type of a net applied to a batch, refused or not.
template <class Net, class Batch, bool Module = net_fault<Net>::agree && is_sound_shape<Batch>>
struct applied_net_impl {
  using type = std::conditional_t<net_fault<Net>::agree, refused<said_already>, net_fault<Net>>;
};
/// The value of a net for an operand of the program that is being traced, and its node. Defined with the slots.
template <class Net, class Batch>
constexpr int trace_net(graph::tracer& t, int x);
template <class Net, class Batch>
constexpr bool traces() {
  graph::program p{};
  graph::tracer t{p, graph::mode::evaluation, false, 0, 0};
  trace_net<Net, Batch>(t, graph::add_argument<float>(t, 0, Batch::value));
  return true;
}
/// Whether the compiler can run the bodies of a net: on values of no program, which costs little, or, where a body does not take those, as a program.
template <class Net, class Batch>
concept RunByCompiler = requires { typename std::bool_constant<(static_cast<void>(Net{}(traced<Batch>{})), true)>; } ||
                        requires { typename std::bool_constant<traces<Net, Batch>()>; };
template <class Net, class Batch>
constexpr auto applied_to_batch() {
  using Result = decltype(std::declval<Net const&>()(std::declval<traced<Batch>>()));
  if constexpr (is_refused<Result>) return std::type_identity<Result>{};
  else if constexpr (!Expression<Result>) return std::type_identity<decltype(fault_of_result<Net, Result>())>{};
  else if constexpr (!RunByCompiler<Net, Batch>) return std::type_identity<refused<forward_is_constexpr<Net>>>{};
  else return std::type_identity<Result>{};
}
template <class Net, class Batch>
struct applied_net_impl<Net, Batch, true> : decltype(applied_to_batch<Net, Batch>()) {};
/// The net of a model; void of anything else.
template <class Model>
struct net_of {
  using type = void;
};
template <class Model>
  requires requires { typename Model::net_type; }
struct net_of<Model> {
  using type = typename Model::net_type;
};
/// What a root names first, so that an error in the body of the user's own forward comes by a short way:
/// sizeof(detail::first_look<Net, Batch>).
template <class Net, class Batch>
using first_look = std::conditional_t<net_fault<Net>::agree && is_sound_shape<Batch>, result_of_forward<Net, traced<Batch>>, agreed>;
template <class Net, class Batch>
using applied_net = typename applied_net_impl<Net, Batch>::type;

}  // namespace detail
}  // namespace espalier
#pragma GCC diagnostic pop

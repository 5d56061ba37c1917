// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/reported_once.hpp"
#include "../graph/sound.hpp"
#include "net_fault.hpp"

#include "../base/diagnostics_push.hpp"
/// Reports the faults of a net on its input, and holds the sentences of the errors. One mistake produces one error,
/// however many roots (output_shape, model, trainer, predictor, ...) find it.
/// The assertions are in each root. In a base, a function or a macro they would add up to three lines to the error: of
/// an instantiation, or of an expansion. The sentences and relations are said once.
namespace espalier {

namespace graph {
template <nn::Module M>
inline constexpr bool is_reported_elsewhere<M> = !nn::detail::is_well_made<nn::well_made<M>>;
}  // namespace graph

/// Named relation of a net and its input; a root shows it with the facts that the invalid type carries.
template <class Found>
struct layers_fit {
  static constexpr bool agree = !is_invalid<Found>;
};

#define ESPALIER_LAYERS_FIT                             \
  "a layer does not fit its input" ESPALIER_FACTS_HINT( \
      "; invalid<...> holds the violated relation, then the path to it from the inside out")

#define ESPALIER_INPUT_IS_SHAPE "the input of a net is written esp::batch<N, ...>: its extents are template arguments"
#define ESPALIER_FORWARD_FITS \
  "a module has no `forward` for its inputs; write `constexpr auto forward(auto x) const`, with `auto` for each input"
#define ESPALIER_FORWARD_IS_CONST "`forward` of a module must be const; write `constexpr auto forward(auto x) const`"
#define ESPALIER_FORWARD_IS_CONSTEXPR \
  "a `forward` cannot be run by the compiler; write `constexpr auto forward(auto x) const`, and use only values that are known at compile time"
#define ESPALIER_FORWARD_ENDS "`forward` of a module calls the module itself, without end; call its members"
#define ESPALIER_FORWARD_IS_GENERIC \
  "the parameters of `forward` must not be tensors: the formula is generic; write `constexpr auto forward(auto x) const`"
#define ESPALIER_FORWARD_RETURNS \
  "`forward` must return a formula of its inputs, such as `return relu(x);`; it returns a number or nothing"

namespace detail {

/// A root type for a function, unique to its template arguments.
template <class... Facts>
struct root_at {};

/// The key under which the faults of a net, or of a net with a loss, are reported once.
template <class... Subject>
struct faults_of {};
/// True if no root has reported this fault, nor another fault of this subject. The same mistake is another fault on
/// another batch, because the facts have extents; and a module with a fault can be in several nets.
template <class Found, class Subject, class Root>
constexpr bool is_first_report() {
  constexpr bool fault = report_first<Found, root_at<Root, Subject>>();
  constexpr bool subject = report_first<faults_of<Subject>, root_at<Root, Found>>();
  return fault && subject;
}
template <class Found, class Subject, class Root>
struct unreported_fault {
  using type = agreed;
};
template <class... Facts, class Subject, class Root>
  requires(is_first_report<invalid<Facts...>, Subject, Root>())
struct unreported_fault<invalid<Facts...>, Subject, Root> {
  using type = invalid<Facts...>;
};
/// Found, if it is a fault that is not reported yet; else `agreed`. So a net has one error, however many roots and
/// batches it has: if it fits none of two batches for two reasons, the second reason is reported when the first is
/// mended. Subject: the net, or faults_of<Net, Loss>. Root: a type unique to the root. Use it only in a static_assert.
template <class Found, class Subject, class Root>
using unreported = typename unreported_fault<Found, Subject, Root>::type;

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
    static_assert(forward_is_constexpr<Net>::agree,
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
template <class M, class Member, class... Path>
struct own_message<invalid<nn::member_begins<M, Member>, Path...>> : existing_message {
  static constexpr auto report() {
    static_assert(nn::member_begins<M, Member>::agree,
                  ESPALIER_SENTENCE(ESPALIER_MEMBERS_BEGIN, invalid<nn::member_begins<M, Member>, Path...>));
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
struct own_message_root {};
/// A root reports a fault that has its own message, once, by
///     static_assert(sizeof(detail::own_message_fault<Found, Subject>::report()) != 0);
template <class Found, class Subject>
using own_message_fault =
    own_message<unreported<std::conditional_t<own_message<Found>::exists, Found, agreed>, Subject, own_message_root>>;
/// The other faults. A root reports them with its own message:
///     static_assert(layers_fit<detail::root_message_fault<Found, Subject, Root>>::agree, ...)
template <class Found, class Subject, class Root>
using root_message_fault = unreported<std::conditional_t<own_message<Found>::exists, agreed, Found>, Subject, Root>;

/// The fault of a net that is no module, or `agreed` if it is one, or if another root has reported it.
template <class Net, class Root>
constexpr auto unreported_kind_fault() {
  if constexpr (is_net<Net>::agree) return agreed{};
  else return std::conditional_t<unreported<net_fault<Net>, Net, Root>::agree, agreed, is_net<Net>>{};
}
/// The relation of a fault in the list of members, which a model reports itself; well_made if there is none.
template <class Found>
struct list_fault {
  using type = nn::detail::well_made;
};
template <class Relation, class... Path>
  requires requires { requires !(Relation::declared && Relation::complete && Relation::objects); }
struct list_fault<invalid<Relation, Path...>> {
  using type = Relation;
};
template <class Net, class Root>
constexpr auto unreported_list_fault() {
  if constexpr (list_fault<net_fault<Net>>::type::agree) return nn::detail::well_made{};
  else return typename list_fault<unreported<net_fault<Net>, Net, Root>>::type{};
}
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

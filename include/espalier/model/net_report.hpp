// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/reported_once.hpp"
#include "../graph/sound.hpp"
#include "own_message.hpp"

/// Reports the faults of a net on its input, with the sentences of own_message.hpp or with the root's own. One mistake
/// produces one error, however many roots (output_shape, model, trainer, predictor, ...) find it.
/// The assertions are in each root. In a base, a function or a macro they would add up to three lines to the error: of
/// an instantiation, or of an expansion.
namespace espalier {

namespace graph {
template <nn::Module M>
inline constexpr bool is_reported_elsewhere<M> = !nn::detail::without_fault<nn::member_fault<M>>;
}  // namespace graph

/// Named relation of a net and its input; a root shows it with the facts that the invalid type carries.
template <class Found>
struct layers_fit {
  static constexpr bool agree = !is_invalid<Found>;
};

#define ESPALIER_LAYERS_FIT                             \
  "a layer does not fit its input" ESPALIER_FACTS_HINT( \
      "; invalid<...> holds the violated relation, then the path to it from the inside out")

namespace detail {

/// A root type for a function, unique to its template arguments.
template <class... Facts>
struct root_at {};

/// The key under which the faults of a net, or of a net with a loss, are reported once.
template <class... Subject>
struct faults_of {};
template <class Subject>
inline constexpr auto subject = [] {};
/// Stands for a net where compilers print all template arguments: the type of a lambda is short in an error.
template <class Subject>
using short_subject = decltype(subject<Subject>);
/// A root that has only the short form of its subject passes it as this.
template <class Short>
struct by_short_subject {};
template <class Subject>
struct key_of_subject {
  using type = short_subject<Subject>;
};
template <class Short>
struct key_of_subject<by_short_subject<Short>> {
  using type = Short;
};
/// True if no root has reported this fault, nor another fault of this subject. The same mistake is another fault on
/// another batch, because the facts have extents; and a module with a fault can be in several nets.
template <class Found, class Subject, class Root>
constexpr bool is_first_report() {
  constexpr bool fault = report_first<Found, root_at<Root, Subject>>();
  constexpr bool first_of_subject =
      report_first<faults_of<typename key_of_subject<Subject>::type>, root_at<Root, Found>>();
  return fault && first_of_subject;
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
/// The relation of a fault in the list of members, which a model reports itself; else
/// all_members_listed.
template <class Found>
struct list_fault {
  using type = nn::detail::all_members_listed;
};
template <class Relation, class... Path>
  requires requires { requires !(Relation::declared && Relation::complete && Relation::objects); }
struct list_fault<invalid<Relation, Path...>> {
  using type = Relation;
};
template <class Net, class Root>
constexpr auto unreported_list_fault() {
  if constexpr (list_fault<net_fault<Net>>::type::agree) return nn::detail::all_members_listed{};
  else return typename list_fault<unreported<net_fault<Net>, Net, Root>>::type{};
}
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

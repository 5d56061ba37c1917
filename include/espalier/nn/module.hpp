// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <array>
#include <boost/hana/accessors.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <tuple>

#include "../base/members.hpp"
#include "../base/real.hpp"
#include "../expression/call.hpp"
#include "../expression/mode.hpp"
#include "../shape/axis_order.hpp"
#include "../shape/keras_layer.hpp"
#include "initializer.hpp"
#include "module_macro.hpp"

/// Modules: aggregates of parameters, buffers and modules with a forward expression. ESPALIER_MODULE lists the members,
/// once.
namespace espalier::nn {

namespace detail {
/// What a net declares for input I: one element for all inputs, or a std::tuple with one for each.
template <class Declared, int I>
struct declared_element {
  using type = std::conditional_t<std::is_integral_v<Declared>, std::int32_t, void>;
};
template <class... E, int I>
struct declared_element<std::tuple<E...>, I> {
  using type = void;
};
template <class... E, int I>
  requires(I < static_cast<int>(sizeof...(E)))
struct declared_element<std::tuple<E...>, I>
    : declared_element<std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<E...>>, 0> {};
template <class Declared>
inline constexpr bool is_input_element = std::is_void_v<Declared> || std::is_same_v<Declared, std::int32_t>;
template <class... E>
inline constexpr bool is_input_element<std::tuple<E...>> = ((is_input_element<E> || std::is_floating_point_v<E>)&&...);

template <class Net, int I>
struct input_element {
  using type = void;
};
template <class Net, int I>
  requires requires { typename Net::input_element; }
struct input_element<Net, I> : declared_element<typename Net::input_element, I> {};
/// A constraint that errors name: integers as the input of a net are std::int32_t.
template <class Net>
struct input_is_supported {
  static constexpr bool agree = true;
};
template <class Net>
  requires requires { typename Net::input_element; }
struct input_is_supported<Net> {
  static constexpr bool agree = is_input_element<typename Net::input_element>;
};
}  // namespace detail

/// What a net reads as its input: void for real numbers of the model's element type, or std::int32_t if the net
/// declares `using input_element = std::int32_t;` (indices of an Embedding). A net of several inputs lists one for
/// each: `using input_element = std::tuple<float, std::int32_t>;`, where float stands for the model's element type.
/// Only the inputs of a model ask for it.
template <class Net, int I = 0>
using input_element_of = typename detail::input_element<Net, I>::type;

}  // namespace espalier::nn
namespace espalier::detail {
/// The element type of the tensors that a model of T accepts as the net's input I.
template <class Net, class T, int I = 0>
using stored_input = std::conditional_t<std::is_void_v<nn::input_element_of<Net, I>>, T, nn::input_element_of<Net, I>>;

template <>
inline constexpr bool has_plain_numbers<nn::real> = true;
template <class M, std::size_t Count>
inline constexpr bool has_plain_numbers<std::array<M, Count>> = has_plain_numbers<M>;
}  // namespace espalier::detail
namespace espalier::nn {

namespace detail {

/// The type of a member that a layer does not have: neither parameter nor buffer.
struct absent {};
template <class Member>
inline constexpr bool exists = !std::is_same_v<std::remove_cvref_t<Member>, absent>;

/// The name of a member as a Hana string, from the text of the macro's argument.
template <class Names, std::size_t Member, std::size_t... Character>
constexpr auto hana_name(std::index_sequence<Character...>) {
  return boost::hana::string<Names::at[Member][Character]...>{};
}
constexpr std::size_t length(char const* text) {
  std::size_t n = 0;
  while (text[n] != 0) ++n;
  return n;
}
/// Whether a comma separates every two names.
constexpr bool separated(char const* text) {
  for (char const* at = text; *at != 0; ++at)
    if (*at == ' ' && at[-1] != ',' && at[1] != ',') return false;
  return true;
}
template <class Names, std::size_t... Member, class... Get>
constexpr auto accessors(std::index_sequence<Member...>, Get... get) {
  return boost::hana::make_tuple(
      boost::hana::make_pair(hana_name<Names, Member>(std::make_index_sequence<length(Names::at[Member])>{}), get)...);
}

/// Whether a member of a module may have this type.
template <class Member>
inline constexpr bool is_member = std::is_arithmetic_v<Member> || std::is_enum_v<Member> || std::is_empty_v<Member> ||
                                  std::is_same_v<Member, real> || requires {
  typename Member::is_module;
}
|| requires { typename Member::is_parameter; }
|| requires { typename Member::is_buffer; }
|| requires { typename Member::is_random_stream; };
template <>
inline constexpr bool is_member<void> = true;  // the first entry of the list that ESPALIER_MODULE makes
template <class Member>
inline constexpr bool is_member<Member const> = is_member<Member>;
template <class Member, std::size_t Count>
inline constexpr bool is_member<std::array<Member, Count>> = is_member<Member>;

using espalier::detail::a_base_of, espalier::detail::member_count;

}  // namespace detail

/// The names of the layers of a Sequential: "0", "1", ...
struct position_name {
  char text[8];
};
constexpr position_name name_of_position(int position) {
  position_name r{};
  char digits[8]{};
  int n = 0;
  do digits[n++] = static_cast<char>('0' + position % 10);
  while ((position /= 10) != 0);
  for (int i = 0; i < n; ++i) r.text[i] = digits[n - 1 - i];
  return r;
}
template <int Position>
inline constexpr position_name position_name_of = name_of_position(Position);

/// Named relation: ESPALIER_MODULE lists every member of the module.
template <class Module, int Members, int Listed>
struct listed_members {
  ESPALIER_READS("{} has {} members, {} listed")
  static constexpr bool complete = Members == Listed, objects = true, declared = true, agree = complete;
};
/// Named relation: ESPALIER_MODULE lists no member twice.
template <class Module>
struct distinct_members {
  ESPALIER_READS("in {}")
  static constexpr bool complete = true, objects = true, declared = true, agree = false;
};
/// Named relation: a member is a number, an empty object or a part of the module: a parameter, buffer, random_stream or
/// module, or a std::array of these.
template <class Module, class Member>
struct member_objects {
  ESPALIER_READS("{} has a member of type {}")
  static constexpr bool complete = true, objects = detail::is_member<Member>, declared = true, agree = objects;
};
namespace detail {
/// Variables, because a relation for each member costs a class.
template <class Member>
inline constexpr bool is_stored = requires {
  typename Member::initializer_type;
};
template <class Member>
inline constexpr bool has_shape = [] {
  if constexpr (is_stored<Member>) return is_shape<typename Member::shape_type>;
  else return true;
}();
template <class Member>
inline constexpr bool has_initial_numbers = [] {
  if constexpr (requires { Member::initializer_type::value.largest(); })
    return Member::initializer_type::value.largest() >= 0 && Member::initializer_type::value.largest() <= __DBL_MAX__;
  else return true;
}();
}  // namespace detail
/// Named relation: the numbers of a member's initializer are in their ranges, and its elements finite.
template <class Module, class Member>
struct initial_numbers {
  ESPALIER_READS("{} has a member of type {}")
  static constexpr bool complete = true, objects = true, declared = true, agree = detail::has_initial_numbers<Member>;
};
/// Named relation: a parameter's or buffer's first argument is a shape.
template <class Module, class Member>
struct member_has_shape {
  ESPALIER_READS("{} has a member of type {}")
  static constexpr bool complete = true, objects = true, declared = true, agree = detail::has_shape<Member>;
};
/// Named relation: the initializer of a parameter or buffer is passed as a type.
template <class Module, class Member>
struct member_begins {
  ESPALIER_READS("{} has a member of type {}")
  static constexpr bool complete = true, objects = true, declared = true, agree = [] {
    if constexpr (requires { typename Member::initializer_type; })
      return espalier::detail::initializes<typename Member::initializer_type>;
    else return true;
  }();
};
/// Named relation: the numbers of a module fit each other. A module with such numbers declares `numbers_fit`, and
/// number_report::report(), which asserts it with a sentence of its own. The assertion is in a function because clang
/// makes no constant object of a class with a failed one.
template <class Module>
struct module_numbers {
  static constexpr bool complete = true, objects = true, declared = true, agree = [] {
    if constexpr (requires { Module::numbers_fit; }) return Module::numbers_fit;
    else return true;
  }();
};
namespace detail {
/// The initial value of the first member of such a module, numbers_reported<number_report::report()>: a module that is
/// declared alone reports its numbers, too. It is the same function, so there is one error in all.
template <bool>
struct numbers_reported {
  template <class Member>
  constexpr operator Member() const {
    return Member{};
  }
};
}  // namespace detail
/// Named relation: the shape of a parameter or buffer has at most 6 axes, extents of at least 1, and at most 2^31 - 1
/// elements.
template <class Module, int... Extents>
struct member_shape {
  ESPALIER_READS("{} has a member of shape ({...})")
  static constexpr bool complete = true, objects = true, declared = true, agree = is_sound_shape<shape<Extents...>>;
};
/// Named relation: every name that ESPALIER_MODULE lists is a member.
template <class Module>
struct declared_members {
  ESPALIER_READS("in {}")
  static constexpr bool complete = true, objects = true, declared = false, agree = false;
};
/// Named relation: a module is an aggregate, so that the compiler can make one and count its members.
template <class Module>
struct aggregate_module {
  ESPALIER_READS("got {}")
  static constexpr bool complete = true, objects = true, declared = true, agree = std::is_aggregate_v<Module>;
};
/// Named relation: a layer is a module, or a function object.
template <class Layer>
struct layer_is_module {
  ESPALIER_READS("got {}")
  static constexpr bool agree = requires { typename Layer::is_module; }
  || espalier::detail::HasCallOperator<Layer> || std::is_final_v<Layer>;
};
/// Named relation: a layer in a Sequential or Repeat returns one value.
template <class Layer, int Values>
struct layer_returns_one {
  ESPALIER_READS("{} returns {} values; nn::Outputs<Layer> and nn::LastOutput<Layer> of a recurrent layer return one")
  static constexpr bool agree = false;
};
/// Named relation: a module has no base class.
template <class Module>
struct without_base_class {
  ESPALIER_READS("got {}")
  static constexpr bool complete = true, objects = true, declared = true, agree = !requires {
    Module{detail::a_base_of<Module>{}};
  };
};

/// in_pytorch(name, extents): the axis order in which PyTorch stores a member of a module, for files in its layout. A
/// module defines it for members with several axes:
///   static constexpr axis_order in_pytorch(char const* member, extents const& shape)
/// errors  unknown where a module does not define it for a member with several axes
template <class M>
constexpr axis_order in_pytorch(char const* member, extents const& shape) {
  if constexpr (requires { M::in_pytorch(member, shape); }) return M::in_pytorch(member, shape);
  else return espalier::detail::order_of_vector(shape);
}
namespace detail {
/// weight has this order, and every other member is a vector.
constexpr axis_order weight_in_order(char const* member, extents const& shape, auto... axis) {
  return espalier::detail::same_text(member, "weight") ? axes_in_order(axis...)
                                                       : espalier::detail::order_of_vector(shape);
}
}  // namespace detail

/// A type that ESPALIER_MODULE (or the library) made a module.
template <class M>
concept Module = requires {
  typename M::is_module;
};
namespace detail {
struct with_is_module {
  using is_module = void;
};
template <class M>
struct beside_is_module : M, with_is_module {};
/// Whether ESPALIER_MODULE is in a private or protected part of the class. The check derives from the class and from
/// with_is_module: a name that two bases have is ambiguous, even where it is not accessible.
template <class M>
inline constexpr bool hides_its_module = false;
template <class M>
  requires(std::is_class_v<M> && !std::is_final_v<M> && !Module<M>)
inline constexpr bool hides_its_module<M> = !Module<beside_is_module<M>>;
}  // namespace detail

namespace detail {
template <class...>
struct types {};
struct all_members_listed {
  static constexpr bool complete = true, objects = true, declared = true, agree = true;
};
template <class M>
inline constexpr bool without_fault = M::agree;

template <class M>
struct undeclared_members {};
template <class M>
struct members_of {
  using type = undeclared_members<M>;
};
template <class M>
  requires requires(M& module) { M::member_types_of(module); }
struct members_of<M> {
  using type = decltype(M::member_types_of(std::declval<M&>()));
};
template <class M>
using member_types = typename members_of<M>::type;

template <class M, class... Members>
struct first_odd_member {
  using type = all_members_listed;
};
template <class M, class Shape>
struct shape_of_member;
template <class M, int... Extents>
struct shape_of_member<M, shape<Extents...>> : std::type_identity<member_shape<M, Extents...>> {};
template <class Member>
inline constexpr bool has_unsound_shape = [] {
  if constexpr (
      requires { typename Member::is_parameter; } || requires { typename Member::is_buffer; })
    return !is_sound_shape<typename Member::shape_type>;
  else return false;
}();
template <class M, class Member>
constexpr auto odd_member() {
  if constexpr (!member_objects<M, Member>::agree) return member_objects<M, Member>{};
  else if constexpr (!has_shape<Member>) return member_has_shape<M, Member>{};
  else if constexpr (!member_begins<M, Member>::agree) return member_begins<M, Member>{};
  else if constexpr (!has_initial_numbers<Member>) return initial_numbers<M, Member>{};
  else if constexpr (has_unsound_shape<Member>) return typename shape_of_member<M, typename Member::shape_type>::type{};
  else return all_members_listed{};
}
template <class M, class First, class... Members>
struct first_odd_member<M, First, Members...>
    : std::conditional_t<without_fault<decltype(odd_member<M, First>())>, first_odd_member<M, Members...>,
                         std::type_identity<decltype(odd_member<M, First>())>> {};

template <class M>
concept ListsMembers = requires {
  M::listed_member_count;
};  // a named concept: nvcc mangles no other constraint

constexpr bool same_name(char const* a, char const* b) {
  while (*a != 0 && *a == *b) ++a, ++b;
  return *a == *b;
}
/// The number of different names that ESPALIER_MODULE lists.
template <class M>
constexpr int distinct_names() {
  int count = 0;
  for (int i = 0; i < M::listed_member_count; ++i) {
    bool first = true;
    for (int j = 0; j < i; ++j) first = first && !same_name(M::member_names::at[i], M::member_names::at[j]);
    count += first ? 1 : 0;
  }
  return count;
}
template <class M>
constexpr auto fault_of_list() {
  if constexpr (distinct_names<M>() != M::listed_member_count) return distinct_members<M>{};
  else return listed_members<M, member_count<M>(), M::listed_member_count>{};
}
template <class M, class Odd>
constexpr auto members_fault() {
  if constexpr (!aggregate_module<M>::agree) return aggregate_module<M>{};
  else if constexpr (!without_base_class<M>::agree) return without_base_class<M>{};
  else if constexpr (!Odd::agree) return Odd{};
  else return fault_of_list<M>();
}
template <class M, class Members, bool Listed = ListsMembers<M>>
struct own_fault {
  using type = all_members_listed;
};
template <class M, bool Listed>
struct own_fault<M, undeclared_members<M>, Listed> {
  using type = declared_members<M>;
};
template <class M, class... Members>
struct own_fault<M, types<Members...>, true> {
  using type = decltype(members_fault<M, typename first_odd_member<M, Members...>::type>());
};

/// Whether the numbers of all modules in a net fit. That is asked before members are counted, which instantiates their
/// initial values.
template <class M>
inline constexpr bool all_numbers_fit = true;
template <class... M>
inline constexpr bool all_numbers_fit<types<M...>> = (all_numbers_fit<M> && ...);
template <Module M>
inline constexpr bool all_numbers_fit<M> = [] {
  if constexpr (requires { requires !M::numbers_fit; }) return false;
  else return all_numbers_fit<member_types<M>>;
}();
template <class M>
  requires(!Module<M> && requires { typename M::value_type; })
inline constexpr bool all_numbers_fit<M> = all_numbers_fit<typename M::value_type>;
/// The first module in a net whose numbers do not fit.
template <class M>
struct numbers_fault {
  using type = all_members_listed;
};
template <class First, class... M>
struct numbers_fault<types<First, M...>> : std::conditional_t<without_fault<typename numbers_fault<First>::type>,
                                                              numbers_fault<types<M...>>, numbers_fault<First>> {};
template <Module M>
struct numbers_fault<M> : std::conditional_t<module_numbers<M>::agree, numbers_fault<member_types<M>>,
                                             std::type_identity<module_numbers<M>>> {};
template <class M>
  requires(!Module<M> && requires { typename M::value_type; })
struct numbers_fault<M> : numbers_fault<typename M::value_type> {};

/// The first relation that the members of a module, or of a module inside it, violate; all_members_listed if there is
/// none.
template <class M>
struct module_fault {
  using type = all_members_listed;
};
template <class... M>
struct module_fault<types<M...>> {
  using type = all_members_listed;
};
template <class First, class... M>
struct module_fault<types<First, M...>> : std::conditional_t<without_fault<typename module_fault<First>::type>,
                                                             module_fault<types<M...>>, module_fault<First>> {};
template <Module M>
struct module_fault<M> : std::conditional_t<without_fault<typename own_fault<M, member_types<M>>::type>,
                                            module_fault<member_types<M>>, own_fault<M, member_types<M>>> {};
template <Module M>
  requires(!all_numbers_fit<M>)
struct module_fault<M> : numbers_fault<M> {};
template <class M>
  requires(!Module<M> && requires { typename M::value_type; })
struct module_fault<M> : module_fault<typename M::value_type> {};

template <class M>
inline constexpr bool any_has_numbers = false;
template <class... M>
inline constexpr bool any_has_numbers<types<M...>> = (espalier::detail::has_numbers_of_its_own<M> || ...);
}  // namespace detail
}  // namespace espalier::nn

namespace espalier::detail {
template <nn::Module M>
inline constexpr bool has_numbers_of_its_own<M> = nn::detail::any_has_numbers<nn::detail::member_types<M>>;
template <class M>
  requires(
      requires { typename M::is_parameter; } || requires { typename M::is_buffer; } ||
      requires { typename M::is_random_stream; })
inline constexpr bool has_numbers_of_its_own<M> = true;
template <class M, std::size_t Count>
inline constexpr bool has_numbers_of_its_own<std::array<M, Count>> = has_numbers_of_its_own<M>;
}  // namespace espalier::detail

namespace espalier::nn {

/// The fault of the members that the modules of a net list, or all_members_listed. A root, such as a model, asserts it
/// before it numbers them.
template <class Net>
using member_fault = typename detail::module_fault<Net>::type;

#define ESPALIER_MEMBERS_LISTED "ESPALIER_MODULE must list every member of the module"
#define ESPALIER_MEMBERS_DISTINCT "ESPALIER_MODULE lists a member twice; list each member once"
#define ESPALIER_MEMBERS_DECLARED "ESPALIER_MODULE lists a name that is not a member of the module"
#define ESPALIER_MEMBERS_ARE_OBJECTS \
  "members of a module are parameters, buffers and modules; write std::array<M, N> for several"
#define ESPALIER_MEMBERS_BEGIN \
  "the initializer of a parameter or buffer must be an initialized_by<value> of an initializer; write nn::init::initialized_by<nn::init::ones{}> instead of nn::init::ones or of none"
#define ESPALIER_INITIAL_NUMBERS \
  "a parameter's or buffer's initializer has numbers out of their ranges: fan_in and fan_out are at least 1, as in kaiming_uniform{.fan_in = 64}, a probability is in [0, 1], a deviation at least 0, low <= high, and elements are finite"
#define ESPALIER_MEMBER_HAS_SHAPE \
  "the first argument of a parameter or buffer is a shape: esp::parameter<esp::shape<8, 4>, nn::init::initialized_by<nn::init::zeros{}>>"
#define ESPALIER_MEMBERS_HAVE_SHAPES \
  "a parameter or buffer of a module has an invalid shape: every extent must be at least 1, with at most 6 axes and 2^31 - 1 elements"
#define ESPALIER_MODULE_IS_AGGREGATE \
  "a module must be an aggregate: a struct with public members, without constructors and virtual functions; write numbers as template arguments"
#define ESPALIER_MODULE_HAS_NO_BASE \
  "a module must not have a base class; make the base a member and list it in ESPALIER_MODULE"
#define ESPALIER_LAYER_IS_MODULE \
  "a layer is not a module; use a module's type, such as nn::Linear<4, 4> without (), or add ESPALIER_MODULE(Layer, members...) to your own type"

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"

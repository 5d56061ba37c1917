// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "net_report.hpp"
#include "slots.hpp"

namespace espalier {

namespace detail {

/// The type of parameter_count for an invalid module: reading it produces one error. The assertions are in the
/// functions: with assertions in the class, clang would report a second error for the variable of that type.
template <class Net>
struct invalid_count {
  using Fault = net_fault<Net>;
  using Made = decltype(unreported_list_fault<Net, invalid_count>());
  constexpr invalid_count() = default;
  constexpr invalid_count(invalid_count const&) {
    static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(own_message_fault<Fault, Net>::report()) != 0);
  }
  constexpr operator std::int64_t() const {
    static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(own_message_fault<Fault, Net>::report()) != 0);
    return 0;
  }
  template <class X>
  friend constexpr bool operator==(invalid_count const&, X const&) {
    static_assert(Made::declared, ESPALIER_SENTENCE(ESPALIER_MEMBERS_DECLARED, ESPALIER_UNLESS(Made::declared, Made)));
    static_assert(Made::complete, ESPALIER_SENTENCE(ESPALIER_MEMBERS_LISTED, ESPALIER_UNLESS(Made::complete, Made)));
    static_assert(Made::objects, ESPALIER_SENTENCE(ESPALIER_MEMBERS_ARE_OBJECTS, ESPALIER_UNLESS(Made::objects, Made)));
    static_assert(sizeof(own_message_fault<Fault, Net>::report()) != 0);
    return true;
  }
};
}  // namespace detail

/// The number of a module's parameters, counted by element.
/// errors  a module that does not list all its members does not compile
template <class Net, bool Sound = detail::net_fault<Net>::agree>
inline constexpr std::int64_t parameter_count = slots_of<Net>.parameters.elements;
template <class Net>
inline constexpr auto const& parameter_count<Net, false> = detail::invalid_object<detail::invalid_count<Net>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

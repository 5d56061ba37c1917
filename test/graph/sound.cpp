// SPDX-License-Identifier: BSL-1.0
// What a sound program is; test/compile_fail has the sentence of each fault.
#define BOOST_TEST_MODULE graph_sound
#include <boost/test/unit_test.hpp>

#include <type_traits>

#include <espalier/graph/sound.hpp>

namespace {
struct net {};
struct reported_net {};
}  // namespace

template <>
inline constexpr bool espalier::graph::is_reported_elsewhere<reported_net> = true;

using espalier::graph::fault;
using espalier::graph::sound;

BOOST_AUTO_TEST_CASE(programs_without_a_fault) {
  static_assert(sound<net, fault::none>::agree);
  static_assert(std::is_void_v<sound<net, fault::none>::checked>);
}

// The program is not sound all the same, so that nothing is made of it.
BOOST_AUTO_TEST_CASE(faults_that_a_root_reports_itself) {
  static_assert(!sound<reported_net, fault::foreign_parameter>::agree);
  static_assert(!sound<reported_net, fault::one_value_per_channel>::agree);
  static_assert(!sound<reported_net, fault::unknown_tensor>::agree);
  static_assert(!sound<reported_net, fault::too_many_values>::agree);
  static_assert(!sound<reported_net, fault::too_many_nodes>::agree);
  static_assert(!sound<reported_net, fault::too_many_groups>::agree);
  static_assert(!sound<reported_net, fault::too_many_maps>::agree);
  static_assert(!sound<reported_net, fault::no_closed_form>::agree);
  static_assert(sound<reported_net, fault::no_closed_form>::has_closed_forms);
  static_assert(sound<reported_net, fault::foreign_parameter>::owns_its_parameters);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_parts
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/device/parts.hpp>

namespace esp = espalier;
namespace on_device = esp::on_device;
using esp::shape;

namespace {
struct single {};
struct group {
  static constexpr int parts = 3;
  using first_engine = single;
  first_engine first() const { return {}; }
};
static_assert(on_device::parts_of<single> == 1 && on_device::parts_of<group> == 3);
static_assert(std::is_same_v<on_device::part_on<shape<12, 4>, group>, shape<4, 4>>);
static_assert(std::is_same_v<on_device::part_on<shape<12, 4>, single>, shape<12, 4>>);
static_assert(std::is_same_v<on_device::part_on<shape<10, 4>, group>, shape<10, 4>>);  // reported elsewhere
static_assert(std::is_same_v<on_device::evaluating<single>::type, single>);
static_assert(std::is_same_v<on_device::evaluating<group>::type, single>);

/// An exchange that notes what it was asked for.
struct plain {
  int staged = 0;
  void* stage_in(int, std::size_t) { return ++staged, nullptr; }
};
struct of_parts : plain {
  int parts = 0, first = 0;
  void* stage_parts(int, std::size_t) { return ++parts, nullptr; }
  void* stage_first(int, std::size_t) { return ++first, nullptr; }
};
}  // namespace

BOOST_AUTO_TEST_CASE(an_exchange_of_one_device_stages_everything) {
  plain p;
  on_device::stage_parts(p, 1, 0);
  on_device::stage_for_evaluation(p, 1, 0);
  BOOST_TEST(p.staged == 2);
}
BOOST_AUTO_TEST_CASE(an_exchange_of_several_divides) {
  of_parts p;
  on_device::stage_parts(p, 1, 0);
  on_device::stage_for_evaluation(p, 1, 0);
  BOOST_TEST(p.staged == 0);
  BOOST_TEST(p.parts == 1);
  BOOST_TEST(p.first == 1);
}
BOOST_AUTO_TEST_CASE(one_device_evaluates_itself) {
  single const s;
  BOOST_TEST(&on_device::evaluating<single>::of(s) == &s);
}

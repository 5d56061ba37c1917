// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_reported_once
#include <boost/test/unit_test.hpp>

#include <espalier/base/reported_once.hpp>

namespace detail = espalier::detail;

struct Fault;
struct OtherFault;
struct First;
struct Second;
struct Third;

// In this order: what a compiler answers depends on what was asked before.
static_assert(!detail::is_reported<Fault, First>());
static_assert(detail::report_first<Fault, First>());
static_assert(detail::report_first<Fault, First>(), "the same question has the same answer");
static_assert(!detail::report_first<Fault, Second>());
static_assert(detail::is_reported<Fault, Second>());
static_assert(!detail::is_reported<Fault, First>(), "asked before, and answered then");
static_assert(!detail::is_reported<OtherFault, Second>());
static_assert(detail::report_first<OtherFault, Second>(), "another fault is reported, too");
static_assert(!detail::report_first<OtherFault, Third>());

BOOST_AUTO_TEST_CASE(the_compiler_has_checked_it) {}

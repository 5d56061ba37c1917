// SPDX-License-Identifier: BSL-1.0
// main of the tests that have none of their own, since their precompiled header reads Boost.Test before they name
// themselves.
#define BOOST_TEST_MODULE espalier
#include <boost/test/unit_test.hpp>

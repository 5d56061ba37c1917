// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include "support/device_or_skip.hpp"

namespace test {

/// A test program is skipped before its first test where there is no device.
/// A global fixture, and no main of our own: the programs are then the same whether Boost.Test is linked or included.
BOOST_TEST_GLOBAL_FIXTURE(device_or_skip);

}  // namespace test

// SPDX-License-Identifier: BSL-1.0
// What most tests begin with, read once by the compiler for all of them (test/meson.build). Nothing depends on it:
// every test includes what it uses, and every header is compiled with nothing before it in the suite header_alone.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <espalier.hpp>

// SPDX-License-Identifier: BSL-1.0
// The first programs that are drawn (see random_programs), with kernels.
#define BOOST_TEST_MODULE plan_random_kernels
#include "support/random_kernels.hpp"

using namespace test;

#ifndef FIRST  // another range: -DFIRST=100 -DCOUNT=10
#define FIRST 1
#define COUNT 8
#endif
using Count = std::make_integer_sequence<std::uint64_t, COUNT>;

BOOST_AUTO_TEST_CASE(kernels_of_double_match_their_programs) { check_random_kernels<double, FIRST>(Count{}); }
BOOST_AUTO_TEST_CASE(kernels_of_float_match_their_programs) { check_random_kernels<float, FIRST + COUNT>(Count{}); }

// SPDX-License-Identifier: BSL-1.0
// expect: data::random_flip_horizontal<Layout, P>: P must lie in \[0, 1\]
// expect: probability<.*1\.5
// expect-early: 1.5
#include <espalier/data/transform.hpp>

namespace data = espalier::data;

#ifdef SHOULD_FAIL
using flip = data::random_flip_horizontal<data::chw, 1.5>;
#else
using flip = data::random_flip_horizontal<data::chw, 1.0>;
#endif
data::transforms<flip> list{.seed = 1};
static_assert(flip::flips(0.5));

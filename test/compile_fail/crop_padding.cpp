// SPDX-License-Identifier: BSL-1.0
// expect: data::random_crop<Layout, Padding>: Padding must not be negative
// expect: padding_of<-4>
// expect-early: -4
#include <espalier/data/transform.hpp>

namespace data = espalier::data;

#ifdef SHOULD_FAIL
using crop = data::random_crop<data::chw, -4>;
#else
using crop = data::random_crop<data::chw, 4>;
#endif
crop transform{};

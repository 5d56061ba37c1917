// SPDX-License-Identifier: BSL-1.0
// expect: Target is data::label or the shape<...> of real targets
// expect: label_or_shape<int>
// expect-early: int
#include <espalier/data/samples.hpp>

namespace data = espalier::data;

#ifdef SHOULD_FAIL
data::samples<float, espalier::shape<4>, int> none{};
#else
data::samples<float, espalier::shape<4>, espalier::shape<1>> none{};
#endif

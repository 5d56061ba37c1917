// SPDX-License-Identifier: BSL-1.0
// expect: one column for a label, Target::size columns for targets
// expect: target_columns<espalier::shape<2>, 1>
// expect-early: shape<2>
#include <espalier/data/table.hpp>

namespace data = espalier::data;

void load(espalier::io::csv_table const& houses) {
#ifdef SHOULD_FAIL
  auto const set = data::table<float, espalier::shape<4>, espalier::shape<2>>(houses, {}, "price");
#else
  auto const set = data::table<float, espalier::shape<4>, espalier::shape<2>>(houses, {}, "price", "rent");
#endif
  (void)set;
}

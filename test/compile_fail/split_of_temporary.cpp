// SPDX-License-Identifier: BSL-1.0
// expect: the parts refer to the data set, which is a temporary: store it in a variable
#include <espalier/data/dataset.hpp>

namespace data = espalier::data;
using digits = data::dataset<float, espalier::shape<8, 8>>;

void parts(espalier::io::idx_array const& images, espalier::io::idx_array const& labels) {
#ifdef SHOULD_FAIL
  auto const [first, rest] = digits{images, labels, {.classes = 10}}.split(100);
  (void)first, (void)rest;
#else
  digits const kept{images, labels, {.classes = 10}};
  (void)kept.split(100);
#endif
}

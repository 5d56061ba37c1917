// SPDX-License-Identifier: BSL-1.0
// expect: tensor<T, S>: S is an espalier::shape<...>
// expect-early: shape<-1000000064, 8>
#include <espalier/storage/bounded_view.hpp>

namespace esp = espalier;

// A tensor has its number of elements in its type; a view has it as a number.
#ifdef SHOULD_FAIL
esp::tensor<float, esp::batch<esp::up_to<64>, 8>> images;
#else
float elements[64 * 8];
esp::view<float, esp::batch<esp::up_to<64>, 8>> images{elements, 17};
#endif

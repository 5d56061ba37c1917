// SPDX-License-Identifier: BSL-1.0
// expect: from_dlpack<T, S>\(x\): T is float, double, half, bfloat16, std::int32_t or bool \(const or not\)
#include <espalier/io/dlpack.hpp>

namespace esp = espalier;

void read(esp::io::dlpack_managed_tensor* x) {
#ifdef SHOULD_FAIL
  auto const labels = esp::io::from_dlpack<std::int64_t, esp::shape<3>>(x);
#else
  auto const labels = esp::io::from_dlpack<std::int32_t, esp::shape<3>>(x);
#endif
  (void)labels.view();
}

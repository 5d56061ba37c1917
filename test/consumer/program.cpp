// SPDX-License-Identifier: BSL-1.0
// What somebody else's project contains: the least that shows that the headers, and those of others that they need, are
// found.
#include <espalier.hpp>

#include <cstdio>

static_assert(ESPALIER_VERSION >= 600);

int main() {
  espalier::tensor<float, espalier::shape<3>> const x{1, 2, 3};
  espalier::tensor<float, espalier::shape<>> const y = sum(x * x);
  std::printf("espalier " ESPALIER_VERSION_STRING ": %g\n", static_cast<double>(y()));
}

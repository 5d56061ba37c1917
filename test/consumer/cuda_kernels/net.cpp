// SPDX-License-Identifier: BSL-1.0
#include <espalier.hpp>
#include <espalier/cuda.hpp>

#include <cstdio>

int run() {
  using vector = espalier::tensor<float, espalier::shape<3>>;
  try {
    espalier::tensor<float, espalier::shape<3>, espalier::cuda> const x{vector{1, 2, 3}};
    espalier::tensor<float, espalier::shape<>, espalier::cuda> const y = sum(x * x);
    std::printf("espalier " ESPALIER_VERSION_STRING ": %g\n", static_cast<double>(y.to_host()()));
  } catch (espalier::cuda_error const&) {
    std::puts("espalier " ESPALIER_VERSION_STRING ": no device");
  }
  return 0;
}

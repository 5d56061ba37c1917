// SPDX-License-Identifier: BSL-1.0
// The product on two threads in oneDNN.
#include <dnnl.h>

#include "harness.hpp"

namespace {

bench::implementation const product{
    "matmul_2_threads/1024x1024x1024", "onednn",
    [](bench::operands o) -> bench::work {
      return {bench::repeated(
          [=] { dnnl_sgemm('N', 'N', 1024, 1024, 1024, 1, o.in[0], 1024, o.in[1], 1024, 0, o.out[0], 1024); })};
    },
    bench::library};

}  // namespace

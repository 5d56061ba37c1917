// SPDX-License-Identifier: BSL-1.0
// expect: the input of a net is written esp::batch<N, ...>: its extents are template arguments
// lines: 10
// expect: is_batch<int>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 10>;

#ifdef SHOULD_FAIL
static_assert(esp::prediction_plan<Net, int>.workspace_bytes < 100000);
#else
static_assert(esp::prediction_plan<Net, esp::batch<32, 8>>.workspace_bytes < 100000);
#endif

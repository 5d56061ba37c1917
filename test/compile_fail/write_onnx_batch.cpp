// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input; invalid<...> holds the violated relation
// expect: inner_dimensions<(espalier::)?shape<2, (3|4)>
#include <espalier/io/onnx.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
using Batch = esp::batch<2, 4>;
#else
using Batch = esp::batch<2, 3>;
#endif

void f(esp::model<esp::nn::Linear<3, 2>> const& model) { esp::io::write_onnx<Batch>("net.onnx", model); }

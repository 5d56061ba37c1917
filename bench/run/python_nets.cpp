// SPDX-License-Identifier: BSL-1.0
// Whole nets in PyTorch, eager and compiled, and in ONNX Runtime, of nets_python.py. ONNX Runtime has no training here.
#include "nets.hpp"
#include "python_side.hpp"

namespace {

using namespace bench;

implementation in_python(std::string const& name, char const* library_name) {
  return {name, library_name, [=](operands o) { return work_in_python("nets_python.py", name, library_name, o); },
          library};
}
struct net_rows {
  implementation all[8];
  explicit net_rows(char const* net, int batch)
      : all{in_python(forward_name(net, 1), "torch"),
            in_python(forward_name(net, 1), "torch_compiled"),
            in_python(forward_name(net, 1), "onnxruntime"),
            in_python(forward_name(net, batch), "torch"),
            in_python(forward_name(net, batch), "torch_compiled"),
            in_python(forward_name(net, batch), "onnxruntime"),
            in_python(step_name(net, batch), "torch"),
            in_python(step_name(net, batch), "torch_compiled")} {}
};

#define ROWS(NET, BATCH) net_rows const rows_of_##NET{#NET, BATCH};
BENCH_NETS(ROWS)

}  // namespace

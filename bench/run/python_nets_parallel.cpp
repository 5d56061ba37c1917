// SPDX-License-Identifier: BSL-1.0
// The rows of nets_parallel.cpp in PyTorch with two threads, of nets_python.py.
#include "nets.hpp"
#include "python_side.hpp"

namespace {

using namespace bench;

implementation in_python(char const* name, char const* library_name) {
  return {name, library_name, [=](operands o) { return work_in_python("nets_python.py", name, library_name, o); },
          library};
}
implementation const all[] = {in_python(step_on_two_threads, "torch"), in_python(step_on_two_threads, "torch_compiled"),
                              in_python(convolution_on_two_threads, "torch"),
                              in_python(convolution_on_two_threads, "torch_compiled")};

}  // namespace

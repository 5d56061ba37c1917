// SPDX-License-Identifier: BSL-1.0
// The steps of functions.cpp in PyTorch and JAX, of functions_python.py.
#include <list>

#include "functions.hpp"
#include "python_side.hpp"

namespace {

using namespace bench;

work prepare(function_row const& r, char const* implementation, operands o) {
  return work_in_python("functions_python.py", r.name.substr(r.name.find('/') + 1), implementation, r.in(), r.out(), o);
}

struct implementations {
  std::list<implementation> all;
  implementations() {
    for (auto const& r : function_rows())
      for (char const* name : {"jax", "jax_forward", "torch_eager", "torch_compiled"})
        if (name != std::string("jax_forward") || r.name == "function_step/pinn")
          all.emplace_back(
              r.name, name, [=, &r](operands o) { return prepare(r, name, o); }, library);
  }
} const these;

}  // namespace

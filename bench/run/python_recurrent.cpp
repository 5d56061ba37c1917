// SPDX-License-Identifier: BSL-1.0
// Recurrent layers in JAX and ONNX Runtime, of recurrent_python.py. ONNX Runtime has no gradients.
#include "python_side.hpp"
#include "recurrent.hpp"

namespace {

using namespace bench;

implementation in_python(recurrent_shape s, bool backward, char const* library_name) {
  auto const prepare = [=](operands o) {
    return work_in_python("recurrent_python.py", s.name(backward), library_name, s.in(), s.out(backward), o);
  };
  return {s.name(backward), library_name, prepare, library};
}
struct rows {
  implementation own[3];
  explicit rows(recurrent_shape s)
      : own{in_python(s, false, "jax"), in_python(s, true, "jax"), in_python(s, false, "onnxruntime")} {}
};

#define LAYERS(...) rows{recurrent_shape{4, __VA_ARGS__}}, rows{recurrent_shape{3, __VA_ARGS__}},
rows const all_rows[] = {BENCH_RECURRENT_SHAPES(LAYERS)};

}  // namespace

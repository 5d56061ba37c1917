// SPDX-License-Identifier: BSL-1.0
// One program for two instruction sets: dispatch_unit.cpp is compiled for each, and the processor that the program runs on decides.
#include <cmath>
#include <cstdio>

namespace baseline {
void scores(float const* in, float* out);
}
namespace newer {
void scores(float const* in, float* out);
}

namespace {

// [choice]
bool has_newer() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return true;  // both are built for the same processor there
#endif
}
// [/choice]

}  // namespace

int main() {
  auto* const scores = has_newer() ? newer::scores : baseline::scores;

  float in[16], out[4], plain[4];
  for (int i = 0; i < 16; ++i) in[i] = static_cast<float>(i) / 16;
  scores(in, out);
  baseline::scores(in, plain);

  std::printf("%s:", has_newer() ? "newer" : "baseline");
  bool same = true;
  for (int i = 0; i < 4; ++i) {
    std::printf(" %.6f", static_cast<double>(out[i]));
    same = same && std::fabs(out[i] - plain[i]) < 1e-5f;
  }
  std::printf("\n%s\n", same ? "as the baseline says" : "not what the baseline says");
  return same ? 0 : 1;
}

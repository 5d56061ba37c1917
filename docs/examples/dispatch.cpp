// SPDX-License-Identifier: BSL-1.0
// One program for two instruction sets: dispatch_unit.cpp is compiled for each, and the processor that the program runs
// on decides.
#include <cmath>
#include <cstdio>
#include <xsimd/xsimd.hpp>

namespace baseline {
void scores(float const* in, float* out);
}
namespace newer {
void scores(float const* in, float* out);
}

namespace {

// [choice]
using scores_function = void (*)(float const* in, float* out);

#if defined(__x86_64__)
struct choice {
  scores_function operator()(xsimd::fma3<xsimd::avx2>) const { return newer::scores; }
  scores_function operator()(xsimd::sse2) const { return baseline::scores; }
};
// The first of the list that the processor has.
scores_function best_scores() {
  return xsimd::dispatch<xsimd::arch_list<xsimd::fma3<xsimd::avx2>, xsimd::sse2>>(choice{})();
}
#else
scores_function best_scores() { return newer::scores; }  // both are built for the same processor there
#endif
// [/choice]

}  // namespace

int main() {
  scores_function const scores = best_scores();

  float in[16], out[4], plain[4];
  for (int i = 0; i < 16; ++i) in[i] = static_cast<float>(i) / 16;
  scores(in, out);
  baseline::scores(in, plain);

  std::printf("%s:", scores == newer::scores ? "newer" : "baseline");
  bool same = true;
  for (int i = 0; i < 4; ++i) {
    std::printf(" %.6f", static_cast<double>(out[i]));
    same = same && std::fabs(out[i] - plain[i]) < 1e-5f;
  }
  std::printf("\n%s\n", same ? "as the baseline says" : "not what the baseline says");
  return same ? 0 : 1;
}

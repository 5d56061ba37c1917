// SPDX-License-Identifier: BSL-1.0
// Calls both halves and compares what they computed. Where the halves are built for other processors than this one, it
// is skipped.
#include <cmath>
#include <cstdio>

constexpr int count = 64;
int unit_0(float* results);
int unit_1(float* results);

int main() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  float first[count] = {};
  float second[count] = {};
  int const n = unit_0(first);
  if (n <= 0 || n > count || unit_1(second) != n) {
    std::printf("the halves give different numbers of results\n");
    return 1;
  }
  for (int i = 0; i < n; ++i) {
    if (!(std::abs(first[i] - second[i]) <= 1e-5f + 1e-4f * std::abs(first[i]))) {
      std::printf("result %d: %g and %g\n", i, static_cast<double>(first[i]), static_cast<double>(second[i]));
      return 1;
    }
  }
  std::printf("%d results agree\n", n);
  return 0;
}

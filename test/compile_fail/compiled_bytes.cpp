// SPDX-License-Identifier: BSL-1.0
// expect: compiled\{bytes, f, x\.\.\.\}: the bytes are fewer than compiled::bytes
// expect-early: enough_bytes<64
// expect-26: fewer than compiled::bytes; got 64 bytes, needed \d+
#include <espalier.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
esp::bytes<64> room;
#else
esp::bytes<65536> room;
#endif

inline constexpr auto f = [](auto a, auto b) { return matmul(matmul(a, b), matmul(b, a)); };
void run(esp::tensor<float, esp::shape<16, 16>>& a) { esp::compiled product{room, f, a, a}; }

// SPDX-License-Identifier: BSL-1.0
// expect: load_llama2c\(path, model\): the net states its numbers of heads: static constexpr int heads, key_heads
// expect: states_heads<.*Linear<4, 4
#include <espalier.hpp>
#include <espalier/io/llama2c.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Linear<4, 4>;
#else
using Net = nn::Llama<16, 8, 2, 2, 2, 12>;
#endif
void f(esp::model<Net>& model) { esp::io::load_llama2c("stories.bin", model); }

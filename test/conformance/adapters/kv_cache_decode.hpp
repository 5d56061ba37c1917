// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/stream.hpp"
#include "support/torch_module.hpp"

namespace conformance {

namespace detail {
inline constexpr auto continued = [](auto net, auto x, auto positions, auto keys, auto values) {
  return net(x, positions, keys, values);
};

/// Blocks of Llama with caches of T positions: their values, and a sequence that is fed in the blocks of a case.
template <class Case, class T, class Block, class X, class Cache>
void decode_layer(case_run& run, int layer, esp::tensor<T, X>& x) {
  esp::model<Block, esp::cpu, T> model{esp::seed{0}};
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    std::size_t const at = name.find(".w");
    joined const given = join("layers.", layer, ".");
    joined to = given;
    run.read(role::parameter, to.add(name.find("norm") != name.npos ? name : name.substr(at + 1, 2)),
             as_span<T>(values));
    if (shape.rank != 2) return;
    std::vector<T> const in_order = transposed(as_span<T const>(values), shape.at[1], shape.at[0]);
    for (std::size_t i = 0; i < in_order.size(); ++i) values.data()[i] = in_order[i];
  });
  esp::tensor<T, Cache> keys{}, values{};
  int at = 0;
  auto const one = [&]<int Steps>(std::integral_constant<int, Steps>) {
    constexpr int features = X::template extent<2>();
    esp::tensor<T, esp::shape<1, Steps, features>> block, y;
    esp::tensor<std::int32_t, esp::shape<Steps>> positions;
    for (int i = 0; i < Steps; ++i) positions[i] = at + i;
    for (int i = 0; i < Steps * features; ++i) block[i] = x[at * features + i];
    esp::compiled step{continued, model, block, positions, keys, values};
    step(block, positions, keys, values, y, keys, values);
    for (int i = 0; i < Steps * features; ++i) x[at * features + i] = y[i];
    at += Steps;
  };
  [&]<int... Steps>(integers<Steps...>) { (one(std::integral_constant<int, Steps>{}), ...); }
  (attribute_of<Case, "blocks">{});
  report_result(run, join("k_cache_", layer), keys);
  report_result(run, join("v_cache_", layer), values);
}
}  // namespace detail

/// A sequence that is fed to blocks of Llama with their caches, layer by layer.
template <class Case, class T>
void check_kv_cache_decode(case_run& run) {
  using X = input_shape<Case>;
  constexpr nn::llama options{.rotary = {.interleaved = attribute_or<Case, "interleaved", bool>(true),
                                         .base = attribute_or<Case, "base", double>(10000)},
                              .eps = attribute_or<Case, "eps", double>(1e-5)};
  constexpr int heads = attribute_or<Case, "heads", int>(1), key_heads = attribute_or<Case, "kv_heads", int>(1);
  constexpr int features = X::template extent<2>();
  using Block = nn::LlamaBlock<features, heads, key_heads, attribute_or<Case, "hidden", int>(1), options>;
  using Cache = esp::shape<1, key_heads, X::template extent<1>(), features / heads>;
  esp::tensor<T, X> x;
  run.read(role::input, "x", as_span<T>(x));
  for (int layer = 0; layer < attribute_or<Case, "layers", int>(1); ++layer)
    detail::decode_layer<Case, T, Block, X, Cache>(run, layer, x);
  report_result(run, "y", x);
}

}  // namespace conformance

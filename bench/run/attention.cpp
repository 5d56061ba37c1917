// SPDX-License-Identifier: BSL-1.0
// Attention and Transformer layers, as compiled functions.
#include "attention.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/model/model.hpp>
#include <espalier/model/parameter_of.hpp>
#include <espalier/nn/nn.hpp>

#include <algorithm>
#include <memory>

namespace esp = espalier;
namespace nn = espalier::nn;

namespace {

using namespace bench;

template <int... Extent>
using numbers = esp::view<float const, esp::shape<Extent...>>;
template <int... Extent>
using results = esp::view<float, esp::shape<Extent...>>;

template <bool Causal>
struct attend {
  constexpr auto operator()(auto q, auto k, auto v) const {
    return esp::scaled_dot_product_attention<esp::attention{.causal = Causal}>(q, k, v);
  }
};
template <bool Causal>
inline constexpr auto weighted_attention =
    [](auto q, auto k, auto v, auto dy) { return sum(attend<Causal>{}(q, k, v) * dy); };
template <bool Causal>
inline constexpr auto attention_gradients =
    [](auto q, auto k, auto v, auto dy) { return esp::grad<0, 1, 2>(weighted_attention<Causal>)(q, k, v, dy); };

template <int B, int H, int T, int D, bool Causal>
struct attention_rows {
  using in = numbers<B, H, T, D>;
  using out = results<B, H, T, D>;
  static work forward(operands o) {
    in const q(o.in[0]), k(o.in[1]), v(o.in[2]);
    using compiled = decltype(esp::compiled{attend<Causal>{}, q, k, v});
    return {
        repeated([=, run = std::make_shared<compiled>(attend<Causal>{}, q, k, v)] { (*run)(q, k, v, out(o.out[0])); })};
  }
  static work both(operands o) {
    in const q(o.in[0]), k(o.in[1]), v(o.in[2]), dy(o.in[3]);
    using compiled = decltype(esp::compiled{attention_gradients<Causal>, q, k, v, dy});
    return {repeated([=, run = std::make_shared<compiled>(attention_gradients<Causal>, q, k, v, dy)] {
      (*run)(q, k, v, dy, out(o.out[0]), out(o.out[1]), out(o.out[2]));
    })};
  }
  static constexpr attention_shape shape{B, H, T, D, Causal};
  row forward_row{shape.name(false), shape.in(), shape.out(false), 0, shape.flops(false)};
  implementation own_forward{shape.name(false), "espalier", forward};
  row both_row{shape.name(true), shape.in(), shape.out(true), 0, shape.flops(true)};
  implementation own_both{shape.name(true), "espalier", both};
};

inline constexpr auto apply_net = [](auto net, auto x) { return net(x); };
inline constexpr auto weighted_net = [](auto net, auto x, auto dy) { return sum(net(x) * dy); };
inline constexpr auto net_gradients = [](auto net, auto x, auto dy) {
  auto const [by, dx] = esp::grad<0, 1>(weighted_net)(net, x, dy);
  return std::tuple{dx,
                    parameter_of<"self_attn.in_proj_weight">(by),
                    parameter_of<"self_attn.in_proj_bias">(by),
                    parameter_of<"self_attn.out_proj.weight">(by),
                    parameter_of<"self_attn.out_proj.bias">(by),
                    parameter_of<"linear1.weight">(by),
                    parameter_of<"linear1.bias">(by),
                    parameter_of<"linear2.weight">(by),
                    parameter_of<"linear2.bias">(by),
                    parameter_of<"norm1.weight">(by),
                    parameter_of<"norm1.bias">(by),
                    parameter_of<"norm2.weight">(by),
                    parameter_of<"norm2.bias">(by)};
};

template <int B, int T, int E, int Heads, int Hidden>
struct encoder_rows {
  using net = nn::TransformerEncoderLayer<E, Heads, Hidden, {.norm_first = true, .causal = true}, nn::GELU>;
  using in = numbers<B, T, E>;
  static auto model_of(operands o) {
    auto const model = std::make_shared<esp::model<net>>(esp::seed{0});
    int number = 2;
    model->for_each_parameter([&](char const*, esp::extents const&, esp::span<float> elements) {
      std::copy_n(o.in[number++], elements.size(), elements.begin());
    });
    return model;
  }
  static work forward(operands o) {
    auto const model = model_of(o);
    in const x(o.in[0]);
    using compiled = decltype(esp::compiled{apply_net, *model, x});
    return {repeated([=, run = std::make_shared<compiled>(apply_net, *model, x), y = results<B, T, E>(o.out[0])] {
      (void)model;
      (*run)(x, y);
    })};
  }
  static work both(operands o) {
    auto const model = model_of(o);
    in const x(o.in[0]), dy(o.in[1]);
    using compiled = decltype(esp::compiled{net_gradients, *model, x, dy});
    return {repeated([=, run = std::make_shared<compiled>(net_gradients, *model, x, dy)] {
      (void)model;
      (*run)(x, dy, results<B, T, E>(o.out[0]), results<E, 3 * E>(o.out[1]), results<3 * E>(o.out[2]),
             results<E, E>(o.out[3]), results<1, E>(o.out[4]), results<E, Hidden>(o.out[5]),
             results<1, Hidden>(o.out[6]), results<Hidden, E>(o.out[7]), results<1, E>(o.out[8]), results<E>(o.out[9]),
             results<E>(o.out[10]), results<E>(o.out[11]), results<E>(o.out[12]));
    })};
  }
  static constexpr encoder_shape shape{B, T, E, Heads, Hidden};
  row forward_row{shape.name(false), shape.in(), shape.out(false), 0, shape.flops(false)};
  implementation own_forward{shape.name(false), "espalier", forward};
  row both_row{shape.name(true), shape.in(), shape.out(true), 0, shape.flops(true)};
  implementation own_both{shape.name(true), "espalier", both};
};

#define ATTENTION(B, H, T, D, Causal) attention_rows<B, H, T, D, Causal> const attention_##B##_##H##_##T##_##D;
BENCH_ATTENTION_SHAPES(ATTENTION)
#define ENCODER(B, T, E, Heads, Hidden) encoder_rows<B, T, E, Heads, Hidden> const encoder_##B##_##T##_##E;
BENCH_ENCODER_SHAPES(ENCODER)

}  // namespace

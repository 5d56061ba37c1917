// SPDX-License-Identifier: BSL-1.0
// A stream of attention keeps keys and values: block by block it gives what the whole sequence gives, for every mask of
// positions, and for contexts that are shorter than the sequence.
#define BOOST_TEST_MODULE model_stream_attention
#include <boost/test/unit_test.hpp>

#include <espalier/stream.hpp>

#include <string>

#include "support/longer_run.hpp"
#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace streams_of_attention {

constexpr int steps = 48;

template <int Features, int Made, class Stream, class X>
auto streamed(Stream& stream, X const& x) {
  using T = typename X::value_type;
  constexpr int signals = X::shape_type::template extent<0>();
  constexpr int in = Stream::input_shape::template extent<1>(), out = Stream::output_shape::template extent<1>();
  tensor<T, typename Stream::input_shape> block;
  tensor<T, typename Stream::output_shape> result;
  tensor<T, shape<signals, steps / in * out, Made>> y;
  for (int t = 0; t < steps / in; ++t) {
    for (int n = 0; n < signals; ++n)
      for (int i = 0; i < in * Features; ++i) block[n * in * Features + i] = x[(n * steps + t * in) * Features + i];
    stream(block, result);
    for (int n = 0; n < signals; ++n)
      for (int i = 0; i < out * Made; ++i) y[(n * (steps / in) + t) * out * Made + i] = result[n * out * Made + i];
  }
  return y;
}

/// Blocks of B steps of one signal and of two against the whole sequence of Whole, a net with the same parameters.
template <class Net, class Whole, int Context, int Features, class T, int... B>
void check_against() {
  using Model = esp::model<Net, esp::cpu, T>;
  Model model{esp::seed{7}};
  esp::model<Whole, esp::cpu, T> whole{esp::seed{7}};
  auto const check_signals = [&]<int Signals, int... I>(std::integral_constant<int, Signals>,
                                                        std::integer_sequence<int, I...>) {
    if constexpr ((in_this_run<Signals + I> || ...)) {
      auto const x = numbers<T, shape<Signals, steps, Features>>(5);
      auto const expected = whole(x);
      constexpr int made = esp::shape_of<decltype(expected)>::template extent<2>();
      auto const check_blocks = [&]<int Steps, bool In>(std::integral_constant<int, Steps>, std::bool_constant<In>) {
        if constexpr (In) {
          auto stream = [&] {
            if constexpr (Context == 0) return esp::stream<Model, esp::batch<Signals, Steps, Features>>{model, {}};
            else
              return esp::stream<Model, esp::batch<Signals, Steps, Features>, 1, Context>{
                  model, {}, esp::context<Context>{}};
          }();
          for (int round = 0; round < 2; ++round) {
            check_close("blocks", streamed<Features, made>(stream, x), expected);
            stream.reset();
          }
        }
      };
      (check_blocks(std::integral_constant<int, B>{}, std::bool_constant<in_this_run<Signals + I>>{}), ...);
    }
  };
  check_signals(std::integral_constant<int, 1>{}, std::make_integer_sequence<int, sizeof...(B)>{});
  check_signals(std::integral_constant<int, 2>{}, std::make_integer_sequence<int, sizeof...(B)>{});
}
template <class Net, int Context, int Features, class T, int... B>
void check() {
  check_against<Net, Net, Context, Features, T, B...>();
}

template <int In, int Out, int Kernel, int Stride = 1>
using Causal =
    nn::Conv1d<In, Out, Kernel, nn::conv{.stride = Stride, .padding = {0, Kernel - 1, 0, 0}, .layout = esp::nhwc}>;

/// The numbers of queries and of keys in a mask of T x T.
template <int T>
constexpr auto query() {
  return esp::reshape<T, 1>(esp::column_index<shape<T>>{});
}
template <int T>
constexpr auto key() {
  return esp::column_index<shape<T, T>>{};
}
enum class form { product, minimum, differences, exchanged, nested, added, distances };

/// Self-attention of one head that looks at the last Window steps. The mask is written in several ways.
template <int Window, form Form = form::product>
struct Windowed {
  nn::Linear<4, 12> qkv{};
  ESPALIER_MODULE(Windowed, qkv)
  constexpr auto forward(auto x) const {
    constexpr int T = esp::shape_of<decltype(x)>::template extent<1>();
    auto const [q, k, v] = esp::split<2, 4, 4, 4>(qkv(x));
    constexpr double hide = -esp::math::infinity<double>;
    auto const before = key<T>() <= query<T>();
    if constexpr (Form == form::product) return attend(q, k, v, before * (key<T>() > query<T>() - Window));
    else if constexpr (Form == form::minimum)
      return attend(q, k, v, minimum(query<T>() >= key<T>(), query<T>() < key<T>() + Window));
    else if constexpr (Form == form::differences)
      return attend(q, k, v, (key<T>() - query<T>() < 0.5) * (-(query<T>() - key<T>()) + Window >= 0.25));
    else if constexpr (Form == form::exchanged)
      return weighted(where(key<T>() > query<T>(), hide, where(query<T>() - key<T>() > Window - 1, hide, scores(q, k))),
                      v);
    else if constexpr (Form == form::nested)
      return weighted(where(before, where(key<T>() + Window > query<T>(), 2 * scores(q, k) + 1, hide), hide), v);
    else if constexpr (Form == form::added)
      return weighted(
          scores(q, k) + where(before, 0, hide) + esp::reshape<1, T, T>(where(key<T>() > query<T>() - Window, 0, hide)),
          v);
    else
      return weighted(
          where(before * (key<T>() > query<T>() - Window), scores(q, k), hide) + 0.25 * (key<T>() - query<T>()), v);
  }
  static constexpr auto attend(auto q, auto k, auto v, auto mask) {
    auto const head = [](auto a) { return esp::unsqueeze<1>(a); };
    return esp::squeeze<1>(esp::scaled_dot_product_attention(head(q), head(k), head(v), mask));
  }
  static constexpr auto scores(auto q, auto k) { return matmul(q, transpose(k)); }
  static constexpr auto weighted(auto s, auto v) { return matmul(esp::softmax<2>(s), v); }
};

/// Two products of queries with different keys are added before softmax, and the masks of both have other windows.
struct TwoProducts {
  nn::Linear<4, 12> qkv{};
  nn::Linear<4, 4> more{};
  ESPALIER_MODULE(TwoProducts, qkv, more)
  constexpr auto forward(auto x) const {
    constexpr int T = esp::shape_of<decltype(x)>::template extent<1>();
    auto const [q, k, v] = esp::split<2, 4, 4, 4>(qkv(x));
    auto const near = where(key<T>() > query<T>() - 3, matmul(q, transpose(more(x))), 0);
    auto const far = where((key<T>() <= query<T>()) * (key<T>() > query<T>() - 9), matmul(q, transpose(k)) + near,
                           -esp::math::infinity<double>);
    return matmul(esp::softmax<2>(far), v);
  }
};
/// Weights without softmax, and the weights as the second factor.
struct Linear {
  nn::Linear<4, 12> qkv{};
  ESPALIER_MODULE(Linear, qkv)
  constexpr auto forward(auto x) const {
    constexpr int T = esp::shape_of<decltype(x)>::template extent<1>();
    auto const [q, k, v] = esp::split<2, 4, 4, 4>(qkv(x));
    auto const w = where((key<T>() < query<T>()) * (key<T>() > query<T>() - 6), matmul(q, transpose(k)), 0);
    return transpose(matmul(transpose(v), transpose(tanh(w)))) + sum<2>(abs(w), esp::keepdims);
  }
};
/// A convolution in front, positions that are added, and a stride.
using Positions = nn::Sequential<Causal<4, 8, 3>, nn::SinusoidalPositions<>,
                                 nn::TransformerEncoderLayer<8, 2, 16, nn::encoder_layer{.causal = true}>>;
using Strided =
    nn::Sequential<Causal<4, 8, 3, 2>, nn::RotaryAttention<8, 2>, Causal<8, 4, 2, 2>, nn::RotaryAttention<4, 1>>;
using Rotary = nn::Sequential<nn::RotaryAttention<8, 4, 2>, nn::Tanh,
                              nn::RotaryAttention<8, 2, 1, nn::rotary_attention{.rotary = {.interleaved = false}}>>;
using Encoder =
    nn::Repeat<2,
               nn::TransformerEncoderLayer<8, 2, 16, nn::encoder_layer{.norm_first = true, .causal = true}, nn::GELU>>;
}  // namespace streams_of_attention
using namespace streams_of_attention;

BOOST_AUTO_TEST_CASE(encoder_layers) {
  check<Encoder, steps, 8, float, 6>();
  check<Encoder, steps, 8, double, 1, 6, 48>();
}
BOOST_AUTO_TEST_CASE(rotary_positions_and_groups_of_heads) { check<Rotary, steps + 5, 8, double, 1, 4, 48>(); }
BOOST_AUTO_TEST_CASE(positions_that_are_added) { check<Positions, steps, 4, double, 1, 16>(); }
BOOST_AUTO_TEST_CASE(strides_in_front_and_between) { check<Strided, steps, 4, double, 4, 16>(); }

BOOST_AUTO_TEST_CASE(windows_in_every_form) {
  check<Windowed<5>, 0, 4, double, 1, 3, 16, 48>();
  check<Windowed<1>, 0, 4, double, 1, 4>();
  check<Windowed<5, form::minimum>, 0, 4, double, 3>();
  check<Windowed<5, form::differences>, 0, 4, double, 3>();
  check<Windowed<5, form::exchanged>, 0, 4, double, 3>();
  check<Windowed<5, form::nested>, 0, 4, double, 3>();
  check<Windowed<5, form::added>, 0, 4, double, 1, 3>();
  check<Windowed<5, form::distances>, 0, 4, double, 3>();
}
BOOST_AUTO_TEST_CASE(products_that_are_combined_and_weights_without_softmax) {
  check<TwoProducts, 0, 4, double, 1, 4, 16>();
  check<Linear, 0, 4, double, 1, 4>();
}
/// A context shortens the window of a mask, or is one.
BOOST_AUTO_TEST_CASE(a_context_is_a_window) { check_against<Windowed<1000>, Windowed<7>, 7, 4, double, 1, 3, 16>(); }

/// More different windows than a net of a few layers has: each has a ring of its own.
template <int... Layer>
nn::Sequential<Windowed<Layer + 2>...> windows_of_layers(std::integer_sequence<int, Layer...>);
BOOST_AUTO_TEST_CASE(layers_with_windows_of_their_own) {
  using Layers = decltype(windows_of_layers(std::make_integer_sequence<int, 12>{}));
  check<Layers, 0, 4, double, 3>();
}

/// Behind a convolution without padding, results are late; the sequence of keys begins late, too.
BOOST_AUTO_TEST_CASE(attention_behind_a_late_layer) {
  using Late = nn::Sequential<nn::Conv1d<4, 8, 3, nn::conv{.padding = 0, .layout = esp::nhwc}>,
                              nn::RotaryAttention<8, 2>, nn::Linear<8, 4>>;
  esp::model<Late, esp::cpu, double> model{esp::seed{7}};
  auto const x = numbers<double, shape<2, steps, 4>>(5);
  auto const expected = model(x);  // two fewer than steps
  auto const check_blocks = [&]<int B>(std::integral_constant<int, B>) {
    esp::stream stream{model, esp::batch<2, B, 4>{}, esp::context<9>{}};
    esp::stream longer{model, esp::batch<2, B, 4>{}, esp::context<steps>{}};
    BOOST_TEST(stream.latency_steps == 2);
    auto const y = streamed<4, 4>(stream, x), z = streamed<4, 4>(longer, x);
    for (int n = 0; n < 2; ++n)
      for (int t = 0; t < steps - 2; ++t)
        for (int i = 0; i < 4; ++i) {
          if (t < 9) BOOST_TEST(near(y(n, t + 2, i), expected(n, t, i)));
          BOOST_TEST(near(z(n, t + 2, i), expected(n, t, i)));
        }
  };
  check_blocks(std::integral_constant<int, 1>{});
  check_blocks(std::integral_constant<int, 8>{});
}

/// A small GPT: words, learned positions, two layers, scores.
struct Gpt {
  nn::Embedding<11, 8> words{};
  nn::LearnedPositions<steps, 8> positions{};
  nn::Repeat<2, nn::TransformerEncoderLayer<8, 2, 16, nn::encoder_layer{.norm_first = true, .causal = true}>> layers{};
  nn::Linear<8, 11> scores{};
  ESPALIER_MODULE(Gpt, words, positions, layers, scores)
  using input_element = std::int32_t;
  constexpr auto forward(auto x) const { return scores(layers(positions(words(x)))); }
};
BOOST_AUTO_TEST_CASE(learned_positions) {
  esp::model<Gpt, esp::cpu, double> model{esp::seed{7}};
  tensor<std::int32_t, shape<2, steps>> x;
  for (int i = 0; i < 2 * steps; ++i) x[i] = i * 7 % 11;
  auto const expected = model(x);
  auto const check_blocks = [&]<int B, int Context>(std::integral_constant<int, B>, esp::context<Context> context) {
    esp::stream stream{model, esp::batch<2, B>{}, context};
    static_assert(stream.max_steps == steps);
    tensor<std::int32_t, shape<2, B>> block;
    tensor<double, shape<2, B, 11>> result;
    for (int round = 0; round < 2; ++round) {
      for (int t = 0; t < steps; t += B) {
        for (int n = 0; n < 2; ++n)
          for (int i = 0; i < B; ++i) block[n * B + i] = x[n * steps + t + i];
        stream(block, result);
        for (int n = 0; n < 2; ++n)
          for (int i = 0; i < 11 * B && t < Context; ++i)
            BOOST_TEST(near(result[n * 11 * B + i], expected[(n * steps + t) * 11 + i]));
      }
      auto const before = stream.save();
      result[0] = 5;
      BOOST_CHECK_EXCEPTION(stream(block, result), esp::index_error, [](esp::index_error const& e) {
        return e.what() == "steps of a stream: expected at most 48 before reset(), got step " + std::to_string(48 + B);
      });
      BOOST_TEST((stream.save() == before && result[0] == 5));
      stream.reset();
    }
  };
  check_blocks(std::integral_constant<int, 1>{}, esp::context<steps>{});
  check_blocks(std::integral_constant<int, 6>{}, esp::context<steps>{});
  check_blocks(std::integral_constant<int, 4>{}, esp::context<8>{});
}

BOOST_AUTO_TEST_CASE(facts) {
  using block = esp::batch<1, 4, 8>;
  esp::model<nn::RotaryAttention<8, 2>> model{esp::seed{1}};
  esp::stream stream{model, block{}, esp::context<16>{}};
  static_assert(stream.receptive_field == 16 && stream.latency_steps == 0);
  // 15 keys and values of 8 features, and two counts: one for rotary positions, one for how many keys there are
  static_assert(stream.state_bytes == sizeof(float) * (2 * 15 * 8 + 2));
  static_assert(stream.max_steps == 1 << 24);
  static esp::bytes<decltype(stream)::bytes> room;
  esp::stream other{model, block{}, esp::time_axis<1>{}, esp::context<16>{}, room};
  esp::stream third{model, block{}, esp::context<16>{}, esp::time_axis<1>{}, room};
  static_assert(std::is_same_v<decltype(stream), decltype(other)> && std::is_same_v<decltype(stream), decltype(third)>);
  // An option that contradicts the type is no argument.
  static_assert(std::is_constructible_v<decltype(stream), decltype(model) const&, block, esp::context<16>>);
  static_assert(!std::is_constructible_v<decltype(stream), decltype(model) const&, block, esp::context<8>>);
  static_assert(!std::is_constructible_v<decltype(stream), decltype(model) const&, block, esp::time_axis<2>>);
  esp::model<Windowed<6>> windowed{esp::seed{1}};
  esp::stream of_windows{windowed, esp::batch<1, 2, 4>{}};
  static_assert(of_windows.receptive_field == 6);
  static_assert(of_windows.max_steps == INT64_MAX);
}

BOOST_AUTO_TEST_CASE(a_saved_state_continues_in_blocks_of_another_length) {
  esp::model<Rotary, esp::cpu, double> model{esp::seed{7}};
  auto const x = numbers<double, shape<1, steps, 8>>(5);
  auto const expected = model(x);
  esp::stream one{model, esp::batch<1, 1, 8>{}, esp::context<steps>{}};
  esp::stream six{model, esp::batch<1, 6, 8>{}, esp::context<steps>{}};
  for (int t = 0; t < steps; t += 6) {
    tensor<double, shape<1, 6, 8>> block, result;
    for (int i = 0; i < 48; ++i) block[i] = x[t * 8 + i];
    if (t % 12 == 0) {
      six(block, result);
      one.restore(six.save());
    } else {
      for (int s = 0; s < 6; ++s) {
        tensor<double, shape<1, 1, 8>> step, y;
        for (int i = 0; i < 8; ++i) step[i] = block[s * 8 + i];
        one(step, y);
        for (int i = 0; i < 8; ++i) result[s * 8 + i] = y[i];
      }
      six.restore(one.save());
    }
    for (int i = 0; i < 48; ++i) BOOST_TEST(near(result[i], expected[t * 8 + i]));
  }
}

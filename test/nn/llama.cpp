// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE nn_llama
#include <boost/test/unit_test.hpp>

#include <array>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
constexpr int words = 11, length = 9;
using Net = nn::Llama<words, 8, 2, 4, 2, 12>;
using Own = nn::Llama<words, 8, 1, 2, 2, 12, nn::llama{.shared_classifier = false}>;
template <class Net>
using model_of = esp::model<Net, esp::cpu, double>;
template <int Batch>
using caches = std::array<tensor<double, Net::cache_shape<length, Batch>>, 2>;

inline constexpr auto step = [](auto net, auto word, auto position, auto keys, auto values) {
  return net(word, position, keys, values);
};

inline constexpr auto loss = [](auto net, auto word, auto position, auto keys, auto values) {
  auto const all = net(word, position, keys, values);
  return sum(square(std::get<0>(all))) + sum(std::get<0>(std::get<1>(all)) * std::get<1>(std::get<2>(all)));
};

static_assert(esp::output_shape<Net, shape<3, 7>> == shape<3, 7, words>{});
static_assert(esp::parameter_count<Net> == words * 8 + 2 * (2 * 64 + 2 * 32 + 3 * 96 + 16) + 8);
static_assert(esp::parameter_count<Own> == words * 8 + 4 * 64 + 3 * 96 + 16 + 8 + words * 8);

/// Feeds T words at a time of two texts from `begin` on, and compares their scores with those of the whole texts.
template <int T>
void feed(model_of<Net>& model, tensor<std::int32_t, shape<2, 8>> const& text, caches<2>& keys, caches<2>& values,
          int begin, tensor<double, shape<2, 8, words>> const& whole) {
  tensor<std::int32_t, shape<2, T>> some;
  tensor<std::int32_t, shape<T>> positions;
  tensor<double, shape<2, T, words>> scores;
  for (int t = 0; t < T; ++t) positions[t] = begin + t;
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < T; ++t) some(b, t) = text(b, begin + t);
  esp::compiled run{step, model, some, positions, keys, values};
  run(some, positions, keys, values, scores, keys, values);
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < T; ++t)
      for (int w = 0; w < words; ++w) BOOST_TEST(near(scores(b, t, w), whole(b, begin + t, w)));
}
}  // namespace

BOOST_AUTO_TEST_CASE(names_are_those_of_metas_checkpoints) {
  model_of<Own> model{esp::seed{1}};
  BOOST_TEST(parameter_list(model) ==
             "tok_embeddings.weight(11,8) layers.0.attention.wq.weight(8,8) layers.0.attention.wk.weight(8,8) "
             "layers.0.attention.wv.weight(8,8) layers.0.attention.wo.weight(8,8) "
             "layers.0.feed_forward.w1.weight(8,12) layers.0.feed_forward.w2.weight(12,8) "
             "layers.0.feed_forward.w3.weight(8,12) layers.0.attention_norm.weight(8) layers.0.ffn_norm.weight(8) "
             "norm.weight(8) output.weight(8,11)");
}
// A prompt, single words, and several again: the scores are those of the whole texts.
BOOST_AUTO_TEST_CASE(parts_are_the_whole) {
  model_of<Net> model{esp::seed{2}};
  auto const text = labels<2, 8>(3, words);
  auto const whole = model(text);
  caches<2> keys{}, values{};
  // What the caches hold behind the current position does not matter.
  keys[0].fill(7);
  values[1].fill(-3);
  feed<3>(model, text, keys, values, 0, whole);
  feed<1>(model, text, keys, values, 3, whole);
  feed<1>(model, text, keys, values, 4, whole);
  feed<3>(model, text, keys, values, 5, whole);
}
// A position behind the caches is an error, and changes nothing.
BOOST_AUTO_TEST_CASE(position_behind_the_caches) {
  model_of<Net> model{esp::seed{2}};
  caches<1> keys{}, values{};
  tensor<std::int32_t, shape<1, 1>> word{};
  tensor<std::int32_t, shape<1>> position{length};
  tensor<double, shape<1, 1, words>> scores;
  scores.fill(5);
  esp::compiled run{step, model, word, position, keys, values};
  BOOST_CHECK_THROW(run(word, position, keys, values, scores, keys, values), esp::index_error);
  BOOST_TEST(scores[0] == 5.0);
}
// The step has gradients, also for the caches that it reads.
BOOST_AUTO_TEST_CASE(gradients) {
  model_of<Net> model{esp::seed{4}};
  tensor<std::int32_t, shape<1, 2>> const word{{3, 5}};
  tensor<std::int32_t, shape<2>> const position{4, 5};
  std::tuple keys{doubles<1, 2, 9, 2>(1), doubles<1, 2, 9, 2>(2)};
  std::tuple const values{doubles<1, 2, 9, 2>(3), doubles<1, 2, 9, 2>(4)};
  auto const of_keys = esp::grad<3>(loss)(model, word, position, keys, values);
  auto const direction = doubles<1, 2, 9, 2>(5);
  double expected = 0, small = 1e-5;
  for (int i = 0; i < 36; ++i) expected += std::get<0>(of_keys)[i] * direction[i];
  auto const at = [&](double factor) {
    auto moved = keys;
    for (int i = 0; i < 36; ++i) std::get<0>(moved)[i] += factor * direction[i];
    tensor<double, shape<>> y;
    esp::compiled run{loss, model, word, position, moved, values};
    run(word, position, moved, values, y);
    return y[0];
  };
  BOOST_TEST(near((at(small) - at(-small)) / (2 * small), expected, 1e-6));
}

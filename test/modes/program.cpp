// SPDX-License-Identifier: BSL-1.0
// What programs do, once, in few lines: convolution, BatchNorm, Dropout and Linear in training steps, a loader, a
// gradient of a function, a predictor, a frozen model, and weights in a file. test/tools/build_modes.py compiles it in
// every mode of its table, and runs it where the mode is about running.
//   program          trains, compares with what was computed by hand and with itself, and prints "right"
//   program refuse   reads a file that does not exist: the sentence is printed, caught or, in a program without exceptions, said at its end
// a user's own variables, named as parameters of headers are: -Wshadow must report nothing in the headers
#if defined(GLOBAL_NAMES)
float a, b, c, d, e, f, g, h, i, j, k, m, n, p, q, r, s, t, u, v, w, x, y, z;
int at, axis, batch_size, bytes, classes, column, columns, correct, cost, count, data, element, elements, end, epoch,
    error, extent, file, first, from, actual, gradient, group, image, images, input, inputs, kernel, label, labels,
    last, layer, loss, memory, model, name, names, node, number, offset, operand, options, order, out, output,
    parameter, part, path, position, program, rank, result, row, rows, sample, samples, scale, seed, shape, size,
    source, start, steps, target, targets, tensor, text, to, type, value, values, variance, weight, weights, width;
#endif
#include <espalier.hpp>
#include <espalier/data/loader.hpp>
#include <espalier/io/safetensors.hpp>
#include <espalier/model/gradients.hpp>
#if defined(WITH_A_STREAM)
#include <espalier/stream.hpp>
#endif

#include <cmath>
#include <cstdio>
#include <cstring>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

namespace test {

using pictures_of_batch = esp::batch<8, 1, 6, 6>;
using net =
    nn::Sequential<nn::Conv<1, 4, 3>, nn::BatchNorm2d<4>, nn::ReLU, nn::Flatten, nn::Dropout<0.1>, nn::Linear<144, 3>>;

int failures = 0;
void require(bool holds, char const* what) {
  if (holds) return;
  std::printf("not so: %s\n", what);
  ++failures;
}
bool near(double actual, double expected, double tolerance) {
  return actual >= expected - tolerance && actual <= expected + tolerance;
}

/// Three stripes' directions, 48 images: a net learns them in a few steps.
esp::data::dataset<float, esp::shape<1, 6, 6>> stripes() {
  static esp::tensor<float, esp::shape<48, 1, 6, 6>> pictures;
  static esp::tensor<std::int32_t, esp::shape<48>> classes;
  for (int sample = 0; sample < 48; ++sample) {
    classes[sample] = sample % 3;
    for (int row = 0; row < 6; ++row)
      for (int column = 0; column < 6; ++column) {
        int const phase = (sample % 3 == 0 ? row : sample % 3 == 1 ? column : row + column) + sample / 3;
        pictures(sample, 0, row, column) = static_cast<float>(phase % 3) - 1 + 0.01f * static_cast<float>(sample);
      }
  }
  return esp::data::dataset<float, esp::shape<1, 6, 6>>{pictures.span(), classes.span(), {.classes = 3}};
}

/// sum(a b + exp(a)): its gradients are b + exp(a), and a.
inline constexpr auto energy = [](auto left, auto right) { return sum(left * right + exp(left)); };

void gradients() {
  esp::tensor<double, esp::shape<3>> const left{0, 1, 2}, right{4, 5, 6};
  auto const [of_left, of_right] = esp::grad(energy)(left, right);
  for (int number = 0; number < 3; ++number) {
    require(near(of_left[number], right[number] + std::exp(left[number]), 1e-13),
            "the gradient of sum(a b + exp(a)) by a is b + exp(a)");
    require(near(of_right[number], left[number], 0), "and by b it is a");
  }
  esp::tensor<float, esp::shape<2, 3>> const narrow{{1, 2, 3}, {4, 5, 6}};
  esp::tensor<float, esp::shape<3, 2>> const wide{{1, 0}, {0, 1}, {1, 1}};
  esp::tensor<float, esp::shape<2, 2>> const product = matmul(narrow, wide);
  require(product == esp::tensor<float, esp::shape<2, 2>>{{4, 5}, {10, 11}}, "a product of matrices");
}

void training() {
  char const* const weights = "espalier_modes.safetensors";
  auto const all = stripes();
  esp::data::loader batches{all, pictures_of_batch{}, esp::data::shuffled{1}, esp::data::drop_last};
  esp::model<net> trained{esp::seed{1}}, other{esp::seed{2}};
  esp::trainer trainer{trained, nn::SoftmaxLoss{}, optim::Adam{.learning_rate = 0.02f}, pictures_of_batch{}};
  float before = 0, after = 0;
  for (int epoch = 0; epoch < 20; ++epoch)
    for (auto const& [pictures, classes] : batches.epoch(epoch)) {
      after = trainer.step(pictures, classes);
      if (trainer.steps() == 1) before = after;
    }
  require(before > 0.5f && before < 3, "the first loss is that of a guess");
  require(after < 0.05f, "training leads to a loss below 0.05");
  std::int64_t correct = 0;
  esp::tensor<float, pictures_of_batch> some;
  for (auto const& [pictures, classes] : batches.epoch(0)) {
    correct += trainer.evaluate(pictures, classes).correct;
    std::memcpy(some.data(), pictures.data(), sizeof(float) * static_cast<std::size_t>(some.size()));
  }
  require(correct == 48, "all 48 are told right");

  esp::predictor predict{trained, pictures_of_batch{}};
  esp::tensor<float, esp::shape<8, 3>> scores;
  predict(some, scores);
  esp::io::save_safetensors(weights, trained, trainer);
  esp::io::load_safetensors(weights, other, esp::io::load_options{}.ignore("training/*"));
  std::remove(weights);
  esp::predictor predict_again{other, pictures_of_batch{}};
  esp::tensor<float, esp::shape<8, 3>> again;
  predict_again(some, again);
  require(std::memcmp(scores.data(), again.data(), sizeof(float) * 24) == 0,
          "a model loaded from a file gives the same bits");

  auto const [risk, of_parameters] =
      esp::value_and_grad(trained, nn::SoftmaxLoss{})(some, esp::tensor<std::int32_t, esp::shape<8>>{});
  double squares = 0;
  for (float const element : of_parameters.span())
    squares += static_cast<double>(element) * static_cast<double>(element);
  require(risk > 0 && squares > 0, "a model has gradients");
}

#if defined(WITH_A_STREAM)
/// The modes that check what a program does with its memory also run a net block by block: its buffers are reached by
/// addresses that constant expressions compare.
void stream() {
  esp::model<nn::Conv1d<1, 1, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>> const filter{esp::seed{1}};
  esp::tensor<float, esp::shape<1, 8, 1>> all;
  for (int step = 0; step < 8; ++step) all[step] = static_cast<float>(step + 1);
  esp::predictor whole{filter, esp::batch<1, 8, 1>{}};
  esp::tensor<float, esp::shape<1, 8, 1>> expected;
  whole(all, expected);
  esp::stream in_blocks{filter, esp::batch<1, 4, 1>{}};
  for (int first = 0; first < 8; first += 4) {
    esp::tensor<float, esp::shape<1, 4, 1>> block, result;
    for (int step = 0; step < 4; ++step) block[step] = all[first + step];
    in_blocks(block, result);
    for (int step = 0; step < 4; ++step)
      require(near(result[step], expected[first + step], 1e-6), "a stream computes what a predictor does");
  }
}
#endif

}  // namespace test

int main(int words, char**) {
  if (words > 1) {
#if defined(__cpp_exceptions)
    try {
      (void)esp::io::read_safetensors("there_is_none.safetensors");
    } catch (esp::io::format_error const& caught) {
      std::fprintf(stderr, "%s\n", caught.what());
    }
#else
    (void)esp::io::read_safetensors("there_is_none.safetensors");
#endif
    return 0;
  }
  test::gradients();
  test::training();
#if defined(WITH_A_STREAM)
  test::stream();
#endif
  if (test::failures == 0) std::puts("right");
  return test::failures == 0 ? 0 : 1;
}

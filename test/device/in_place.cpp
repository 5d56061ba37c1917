// SPDX-License-Identifier: BSL-1.0
// Results that are arguments, or overlap them by some elements: what separate memory gives, bit for bit; two results
// that overlap each other throw.
#define BOOST_TEST_MODULE device_in_place
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include <espalier/eager/compiled.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>
#include <espalier/simulated_cuda.hpp>

#include "support/nets.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
using esp::batch;
using esp::shape;
using esp::tensor;
using esp::view;
using test::floats;

namespace {

constexpr int distances[] = {0, 1, -1, 3, -5, 7, 16, -16, 40, -63, 64, 1000};

/// Calls run(x, y) with x and y in one piece of memory, y some elements behind x or before it, and compares y with what
/// separate memory gives.
template <class X, class Y, class F>
void check_overlaps(char const* name, F&& run) {
  constexpr auto x_size = static_cast<std::size_t>(X::size), y_size = static_cast<std::size_t>(Y::size),
                 border = std::size_t{1024};
  tensor<float, X> x;
  for (int i = 0; i < X::size; ++i) x.data()[i] = 0.1f * static_cast<float>((i * 37) % 23) - 1;
  tensor<float, Y> expected;
  run(view<float const, X>(x), view<float, Y>(expected));
  for (int distance : distances) {
    std::vector<float> memory(x_size + y_size + 2 * border);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = -7;
    float* const from = memory.data() + border;
    float* const to = from + distance;
    for (std::size_t i = 0; i < x_size; ++i) from[i] = x.data()[i];
    run(view<float const, X>(from), view<float, Y>(to));
    int wrong = 0;
    for (std::size_t i = 0; i < y_size; ++i) wrong += to[i] != expected.data()[i];
    BOOST_TEST(wrong == 0, name << ": " << wrong << " of " << y_size << " wrong at distance " << distance);
    // Nothing else is written.
    int stray = 0;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      float const* const at = memory.data() + i;
      if (at >= to && at < to + y_size) continue;
      stray += *at != (at >= from && at < from + x_size ? x.data()[at - from] : -7);
    }
    BOOST_TEST(stray == 0, name << ": " << stray << " stray elements at distance " << distance);
  }
}

template <class Net, class Batch>
void check_net(char const* name) {
  esp::model<Net> model{esp::seed{3}};
  using Y = esp::shape_of<esp::detail::applied_net<Net, Batch>>;
  esp::predictor p{model, Batch{}};
  check_overlaps<Batch, Y>((std::string("predictor of ") + name).c_str(), [&](auto x, auto y) { p(x, y); });
  esp::frozen f{model, Batch{}};
  check_overlaps<Batch, Y>((std::string("frozen ") + name).c_str(), [&](auto x, auto y) { f(x, y); });
  static_assert(noexcept(p(std::declval<tensor<float, Batch>&>(), std::declval<tensor<float, Y>&>())));
}

struct Skip {
  nn::Linear<16, 16> a;
  ESPALIER_MODULE(Skip, a)
  constexpr auto forward(auto x) const { return x + a(x); }
};
struct Identity {
  nn::Linear<16, 16> unused;
  ESPALIER_MODULE(Identity, unused)
  constexpr auto forward(auto x) const { return x; }
};
struct ReadsAgain {
  nn::Linear<16, 16> a;
  ESPALIER_MODULE(ReadsAgain, a)
  constexpr auto forward(auto x) const { return relu(a(relu(a(x)))) * x; }
};
struct Backwards {
  nn::Linear<16, 16> unused;
  ESPALIER_MODULE(Backwards, unused)
  constexpr auto forward(auto x) const { return flip<1>(x); }
};

}  // namespace

BOOST_AUTO_TEST_CASE(nets) {
  check_net<nn::Linear<16, 16>, batch<4, 16>>("Linear");
  check_net<nn::Linear<64, 10>, batch<4, 64>>("a product with fewer columns");
  check_net<nn::Linear<10, 64>, batch<4, 10>>("a product with more columns");
  check_net<nn::Sequential<nn::Linear<16, 32>, nn::ReLU, nn::Linear<32, 16>>, batch<4, 16>>("two layers");
  check_net<Skip, batch<4, 16>>("a residual");
  check_net<nn::Residual<nn::Sequential<nn::Linear<16, 16>, nn::ReLU, nn::Linear<16, 16>>>, batch<3, 16>>(
      "a deep residual");
  check_net<ReadsAgain, batch<4, 16>>("an input that is read again at the end");
  check_net<Identity, batch<4, 16>>("identity");
  check_net<Backwards, batch<4, 16>>("flip");
  check_net<nn::Sequential<nn::ReLU, nn::Tanh>, batch<5, 33>>("activations");
  check_net<nn::LayerNorm1d<16>, batch<5, 16>>("layer norm");
  check_net<nn::BatchNorm1d<16>, batch<5, 16>>("batch norm");
  check_net<nn::Conv<2, 3, 3>, batch<1, 2, 8, 8>>("a convolution");
}

namespace {
struct twice {
  constexpr auto operator()(auto x) const { return 2 * x + 1; }
};
struct soft {
  constexpr auto operator()(auto x) const { return softmax<1>(x); }
};
struct turned {
  constexpr auto operator()(auto x) const { return transpose(x); }
};
struct total {
  constexpr auto operator()(auto x) const { return sum(x); }
};
struct columns {
  constexpr auto operator()(auto x) const { return x - mean<0>(x); }
};
struct pair {
  constexpr auto operator()(auto x) const { return std::tuple{2 * x, matmul(x, x)}; }
};
struct product {
  constexpr auto operator()(auto a, auto b) const { return matmul(a, b); }
};
struct sums {
  constexpr auto operator()(auto a, auto b) const { return a + 2 * b; }
};

template <class F, class X, class Y>
void check_compiled(char const* name) {
  esp::compiled run{F{}, tensor<float, X>{}};
  check_overlaps<X, Y>(name, [&](auto x, auto y) { run(x, y); });
}
}  // namespace

BOOST_AUTO_TEST_CASE(functions) {
  check_compiled<twice, shape<7, 19>, shape<7, 19>>("elementwise");
  check_compiled<soft, shape<7, 19>, shape<7, 19>>("softmax");
  check_compiled<soft, shape<64, 3>, shape<64, 3>>("softmax of short rows");
  check_compiled<turned, shape<12, 20>, shape<20, 12>>("transposed");
  check_compiled<total, shape<12, 20>, shape<>>("sum");
  check_compiled<columns, shape<12, 20>, shape<12, 20>>("columns");
}

BOOST_AUTO_TEST_CASE(no_room_where_none_is_needed) {
  esp::compiled once{twice{}, tensor<float, shape<64, 64>>{}};
  static_assert(decltype(once)::workspace_bytes == 0);
  using deep =
      esp::predictor<esp::model<nn::Sequential<nn::Linear<16, 32>, nn::ReLU, nn::Linear<32, 16>>>, batch<4, 16>>;
  static_assert(deep::in_place_bytes == 0 && deep::bytes == deep::workspace_bytes);
  // Where there is a choice, the smaller side is copied.
  esp::compiled adds{total{}, tensor<float, shape<64, 64>>{}};
  static_assert(decltype(adds)::in_place_bytes == 64);
  static_assert(esp::predictor<esp::model<nn::Linear<64, 10>>, batch<1, 64>>::in_place_bytes == 64);
  static_assert(esp::predictor<esp::model<nn::Linear<10, 64>>, batch<1, 10>>::in_place_bytes == 64);
}

BOOST_AUTO_TEST_CASE(several_arguments) {
  auto const a = floats<8, 8>(1), b = floats<8, 8>(2);
  tensor<float, shape<8, 8>> expected, x = a, y = b;
  esp::compiled multiply{product{}, a, b};
  multiply(a, b, expected);
  multiply(x, y, x);
  BOOST_TEST((x == expected));
  x = a;
  multiply(x, y, y);
  BOOST_TEST((y == expected));
  tensor<float, shape<8, 8>> square, same = a;
  multiply(a, a, square);
  multiply(same, same, same);
  BOOST_TEST((same == square));
  y = b;
  esp::compiled add{sums{}, a, b};
  add(a, b, expected);
  x = a;
  add(x, y, x);
  BOOST_TEST((x == expected));
  x = a;
  add(x, y, y);
  BOOST_TEST((y == expected));
}

BOOST_AUTO_TEST_CASE(several_results) {
  auto const a = floats<8, 8>(1);
  esp::compiled run{pair{}, a};
  tensor<float, shape<8, 8>> doubled, square, x = a, y;
  run(a, doubled, square);
  run(x, x, y);
  BOOST_TEST((x == doubled));
  BOOST_TEST((y == square));
  x = a;
  run(x, y, x);
  BOOST_TEST((y == doubled));
  BOOST_TEST((x == square));
  // Results that overlap each other have no right answer, and nothing is written.
  x = a;
  y = a;
  auto const error_text = [&](auto&& call) {
    try {
      call();
    } catch (esp::overlap_error const& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BOOST_TEST(error_text([&] { run(x, y, y); }).find("results 0 and 1 share memory") != std::string::npos);
  std::vector<float> memory(200, 3.0f);
  BOOST_TEST(error_text([&] {
               run(x, view<float, shape<8, 8>>(memory.data()), view<float, shape<8, 8>>(memory.data() + 63));
             }) != "");
  BOOST_TEST(error_text([&] {
               run(x, view<float, shape<8, 8>>(memory.data()), view<float, shape<8, 8>>(memory.data() + 64));
             }) == "");
  BOOST_TEST((y == a));
}

BOOST_AUTO_TEST_CASE(on_a_device_with_memory_of_its_own) {
  using on_device = tensor<float, shape<8, 8>, esp::simulated_cuda>;
  auto const a = floats<8, 8>(1), b = floats<8, 8>(2);
  on_device const device_x(a), other(b);
  on_device x = device_x, expected;
  esp::compiled multiply{product{}, device_x, other};
  multiply(device_x, other, expected);
  multiply(x, other, x);
  BOOST_TEST((x.to_host() == expected.to_host()));
  esp::compiled norm{soft{}, device_x};
  norm(device_x, expected);
  x = device_x;
  norm(x, x);
  BOOST_TEST((x.to_host() == expected.to_host()));
  // A predictor's exchange has memory of its own.
  esp::model<nn::Linear<8, 8>, esp::simulated_cuda> model{esp::seed{1}};
  esp::predictor p{model, batch<8, 8>{}};
  auto on_host = a;
  p(on_host, on_host);
  BOOST_TEST((on_host == model(a)));
  x = device_x;
  p(x, x);
  BOOST_TEST((x.to_host() == model(a)));
}

BOOST_AUTO_TEST_CASE(formulas) {
  auto const a = floats<8, 8>(1), b = floats<8, 8>(2);
  tensor<float, shape<8, 8>> x = a;
  esp::evaluate_into(matmul(x, b), x);
  BOOST_TEST((x == esp::evaluate(matmul(a, b))));
  x = a;
  esp::evaluate_into(softmax<1>(x) + x, x);
  BOOST_TEST((x == esp::evaluate(softmax<1>(a) + a)));
  // A single number that lies in the result is read before it changes.
  x = a;
  view<float const, shape<>> const first(x.data()), last(x.data() + 63);
  tensor<float, shape<>> const begin{a[0]}, end{a.data()[63]};
  esp::evaluate_into(x * first, x);
  BOOST_TEST((x == esp::evaluate(a * begin)));
  x = a;
  esp::evaluate_into(x * last + first, x);
  BOOST_TEST((x == esp::evaluate(a * end + begin)));
}

BOOST_AUTO_TEST_CASE(scores_of_a_trainer_as_images) {
  using Net = nn::Linear<16, 16>;
  esp::model<Net> model{esp::seed{1}};
  esp::trainer trainer{model, nn::MeanSquaredError{}, esp::optim::Adam{}, batch<4, 16>{}};
  auto const x = floats<4, 16>(1);
  auto const expected = model(model(x));
  auto const scores = trainer.forward(x);
  auto const again = trainer.forward(scores);
  for (int i = 0; i < 64; ++i) BOOST_TEST(again.data()[i] == expected.data()[i]);
}

// SPDX-License-Identifier: BSL-1.0
// What has to be right where the compiler assumes that there is neither nan nor infinity: this file is compiled with
// -ffast-math (and once without). All questions are asked of bits here, too.
#define BOOST_TEST_MODULE law_fast_math
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/data/table.hpp>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/written_file.hpp"

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using esp::shape, esp::tensor;

namespace {

template <class T>
struct bits_of;
template <>
struct bits_of<float> {
  using type = std::uint32_t;
  static constexpr type nan = 0x7fc00000u, infinity = 0x7f800000u, sign = 0x80000000u;
};
template <>
struct bits_of<double> {
  using type = std::uint64_t;
  static constexpr type nan = 0x7ff8000000000000u, infinity = 0x7ff0000000000000u, sign = 0x8000000000000000u;
};
/// A number that no compiler knows.
template <class T>
T opaque(typename bits_of<T>::type bits) {
  typename bits_of<T>::type volatile hidden = bits;
  typename bits_of<T>::type const seen = hidden;
  T x;
  std::memcpy(&x, &seen, sizeof x);
  return x;
}
template <class T>
T not_a_number() {
  return opaque<T>(bits_of<T>::nan);
}
template <class T>
T infinite() {
  return opaque<T>(bits_of<T>::infinity);
}
template <class T>
T minus_infinite() {
  return opaque<T>(bits_of<T>::infinity | bits_of<T>::sign);
}

template <class T>
typename bits_of<T>::type opaque_bits(T const& x) {
  typename bits_of<T>::type b;
  std::memcpy(&b, &x, sizeof b);
  typename bits_of<T>::type volatile hidden = b;
  return hidden;
}
template <class T>
bool is_nan(T const& x) {
  return (opaque_bits(x) & ~bits_of<T>::sign) > bits_of<T>::infinity;
}
template <class T>
bool is_infinity(T const& x) {
  return opaque_bits(x) == bits_of<T>::infinity;
}
template <class T>
bool is_minus_infinity(T const& x) {
  return opaque_bits(x) == (bits_of<T>::infinity | bits_of<T>::sign);
}
template <class T>
bool has_finite_bits(T const& x) {
  return (opaque_bits(x) & ~bits_of<T>::sign) < bits_of<T>::infinity;
}

/// Elements 1, 2, 3, ... of which some are special.
template <class T, int N>
tensor<T, shape<N>> with(int where, T special) {
  tensor<T, shape<N>> x;
  for (int i = 0; i < N; ++i) x[i] = static_cast<T>(i % 7) - T(3);
  x[where] = special;
  return x;
}

/// max and min are nan where an element is, argmax is its place, and is_finite finds it, whatever the number of lanes.
template <class T, int N>
void check_of_length() {
  for (int where = 0; where < N; ++where) {
    auto const x = with<T, N>(where, not_a_number<T>());
    tensor<T, shape<>> const most = max(x), least = min(x);
    BOOST_TEST(is_nan(most[0]));
    BOOST_TEST(is_nan(least[0]));
    BOOST_TEST(esp::argmax(x) == where);
    auto const high = with<T, N>(where, infinite<T>()), low = with<T, N>(where, minus_infinite<T>());
    tensor<T, shape<>> const highest = max(high), lowest = min(low), of_low = max(low);
    BOOST_TEST(is_infinity(highest[0]));
    BOOST_TEST(is_minus_infinity(lowest[0]));
    BOOST_TEST((N == 1 ? is_minus_infinity(of_low[0]) : has_finite_bits(of_low[0])));
    BOOST_TEST(esp::argmax(high) == where);
    for (auto const& special : {x, high, low}) {
      tensor<T, shape<N>> const found = is_finite(special);
      for (int i = 0; i < N; ++i) BOOST_TEST(found[i] == (i == where ? T(0) : T(1)));
      tensor<T, shape<N>> const a = maximum(special, T(0)), b = minimum(T(0), special), c = relu(special),
                                d = maximum(T(0), special);
      bool const not_a_number = is_nan(special[where]);
      BOOST_TEST(is_nan(a[where]) == not_a_number);
      BOOST_TEST(is_nan(b[where]) == not_a_number);
      BOOST_TEST(is_nan(c[where]) == not_a_number);
      BOOST_TEST(is_nan(d[where]) == not_a_number);
    }
    BOOST_TEST(!all_close(x, x));
    BOOST_TEST(all_close(high, high));
    BOOST_TEST(!all_close(high, low));
    auto const numbers = with<T, N>(where, T(1));
    BOOST_TEST(!all_close(high, numbers));
    BOOST_TEST(!all_close(numbers, x));
    BOOST_TEST(all_close(numbers, numbers));
  }
}

/// Rows whose softmax and logsumexp are known.
template <class T>
void check_rows() {
  constexpr double allowed = sizeof(T) == 4 ? 2e-6 : 1e-13;
  tensor<T, shape<4, 5>> x;
  for (int i = 0; i < 20; ++i)
    x.data()[i] = static_cast<T>((i * 7) % 11) * T(0.5) - T(2) + (i >= 10 && i < 15 ? T(1000) : T(0));
  for (int k = 15; k < 20; ++k) x.data()[k] = minus_infinite<T>();
  tensor<T, shape<4>> const y = logsumexp<1>(x);
  tensor<T, shape<4, 5>> const s = softmax<1>(x), l = log_softmax<1>(x);
  for (int i = 0; i < 3; ++i) {
    double largest = x(i, 0), sum = 0;
    for (int k = 1; k < 5; ++k)
      largest = largest < static_cast<double>(x(i, k)) ? static_cast<double>(x(i, k)) : largest;
    for (int k = 0; k < 5; ++k) sum += std::exp(static_cast<double>(x(i, k)) - largest);
    BOOST_TEST(std::abs(static_cast<double>(y[i]) - largest - std::log(sum)) <= allowed * (1 + std::abs(largest)));
    for (int k = 0; k < 5; ++k) {
      double const expected = std::exp(static_cast<double>(x(i, k)) - largest) / sum;
      BOOST_TEST(std::abs(static_cast<double>(s(i, k)) - expected) <= allowed);
      BOOST_TEST(std::abs(static_cast<double>(l(i, k)) - std::log(expected)) <= 10 * allowed);
    }
  }
  BOOST_TEST(is_minus_infinity(y[3]));
}

/// Elementary functions within a few units of the last place, and nan of nan.
template <class T, class F, class Reference>
void check_function(char const* name, F f, Reference reference, double low, double high, double units) {
  constexpr int count = 1000;
  tensor<T, shape<count>> x;
  for (int i = 0; i < count; ++i) x[i] = static_cast<T>(low + (high - low) * i / (count - 1));
  tensor<T, shape<count>> const y = f(x);
  double worst = 0, at = 0;
  constexpr double unit = sizeof(T) == 4 ? 0x1p-23 : 0x1p-52;
  for (int i = 0; i < count; ++i) {
    double const expected = reference(static_cast<double>(x[i])),
                 size = std::abs(expected) > 1e-30 ? std::abs(expected) : 1e-30;
    double const error = std::abs(static_cast<double>(y[i]) - expected) / size / unit;
    if (error > worst) {
      worst = error;
      at = static_cast<double>(x[i]);
    }
  }
  BOOST_TEST(worst <= units, name << ": " << worst << " units in the last place at " << at);
  for (int where = 0; where < 37; ++where) {
    tensor<T, shape<37>> const z = f(with<T, 37>(where, not_a_number<T>()));
    BOOST_TEST(is_nan(z[where]), name << " of nan");
  }
}
template <class T>
void check_functions() {
  check_function<T>(
      "exp", [](auto const& x) { return exp(x); }, [](double x) { return std::exp(x); }, -80, 80, 4);
  check_function<T>(
      "log", [](auto const& x) { return log(x); }, [](double x) { return std::log(x); }, 0.01, 30, 8);
  check_function<T>(
      "tanh", [](auto const& x) { return tanh(x); }, [](double x) { return std::tanh(x); }, -9, 9, 8);
  check_function<T>(
      "sigmoid", [](auto const& x) { return sigmoid(x); }, [](double x) { return 1 / (1 + std::exp(-x)); }, -30, 30, 8);
  check_function<T>(
      "erf", [](auto const& x) { return erf(x); }, [](double x) { return std::erf(x); }, -3, 3, 16);
  check_function<T>(
      "sqrt", [](auto const& x) { return sqrt(x); }, [](double x) { return std::sqrt(x); }, 0.01, 30, 4);
  tensor<T, shape<19>> const high = exp(with<T, 19>(4, infinite<T>())), low = exp(with<T, 19>(4, minus_infinite<T>())),
                             zero = log(with<T, 19>(4, T(0)) * T(0) + T(0)), flat = tanh(with<T, 19>(4, infinite<T>()));
  BOOST_TEST(is_infinity(high[4]));
  BOOST_TEST(low[4] == 0);
  BOOST_TEST(is_minus_infinity(zero[4]));
  BOOST_TEST(std::abs(flat[4] - 1) < 1e-6);
}

using Net =
    nn::Sequential<nn::Linear<6, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 8>, nn::Tanh, nn::Linear<8, 3>>;
auto samples(int step) {
  tensor<float, shape<16, 6>> x;
  for (int i = 0; i < 96; ++i) x.data()[i] = static_cast<float>((i * 37 + step * 11) % 23) * 0.1f - 1.1f;
  return x;
}
auto labels() {
  tensor<std::int32_t, shape<16>> y;
  for (int i = 0; i < 16; ++i) y[i] = i % 3;
  return y;
}
template <class Model>
int not_finite(Model& model) {
  int count = 0;
  auto const add = [&](char const*, esp::extents const&, auto elements) {
    for (auto const& x : elements) count += !has_finite_bits(x);
  };
  model.for_each_parameter(add);
  model.for_each_buffer(add);
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nan_and_infinity_are_found) {
  check_of_length<float, 1>();
  check_of_length<float, 3>();
  check_of_length<float, 37>();
  check_of_length<double, 1>();
  check_of_length<double, 2>();
  check_of_length<double, 21>();
}
BOOST_AUTO_TEST_CASE(functions_keep_their_tolerance) {
  check_functions<float>();
  check_functions<double>();
}
BOOST_AUTO_TEST_CASE(rows) {
  check_rows<float>();
  check_rows<double>();
}
// Squares of these numbers are infinite or 0: no compiler may compute them.
BOOST_AUTO_TEST_CASE(norms_of_large_and_small_numbers) {
  for (float const size : {1e30f, 1e-30f}) {
    tensor<float, shape<37>> x;
    for (int i = 0; i < 37; ++i) x[i] = size;
    tensor<float, shape<>> const y = norm(x);
    tensor<float, shape<37>> const u = esp::unit(x, 0.0);
    BOOST_TEST(std::abs(static_cast<double>(y()) / static_cast<double>(size) / std::sqrt(37.0) - 1) < 1e-5);
    for (int i = 0; i < 37; ++i) BOOST_TEST(std::abs(static_cast<double>(u[i]) * std::sqrt(37.0) - 1) < 1e-5);
  }
}
BOOST_AUTO_TEST_CASE(columns_and_windows) {
  tensor<float, shape<5, 9>> x;
  for (int i = 0; i < 45; ++i) x.data()[i] = static_cast<float>(i % 4);
  x(3, 7) = not_a_number<float>();
  x(1, 2) = minus_infinite<float>();
  tensor<float, shape<9>> const most = max<0>(x);
  tensor<float, shape<5>> const of_rows = max<1>(x);
  for (int i = 0; i < 9; ++i) BOOST_TEST(is_nan(most[i]) == (i == 7));
  for (int i = 0; i < 5; ++i) BOOST_TEST(is_nan(of_rows[i]) == (i == 3));
  // The padding of a window's maximum is -inf, and no number is below it.
  tensor<float, shape<1, 3, 3, 8>> image;
  for (int i = 0; i < 72; ++i) image.data()[i] = -1e30f - static_cast<float>(i) * 1e27f;
  tensor<float, shape<1, 3, 3, 8>> const pooled = esp::max_pool2d<3, esp::pooling{.stride = 1, .padding = 1}>(image);
  for (int i = 0; i < 72; ++i) BOOST_TEST((has_finite_bits(pooled.data()[i]) && pooled.data()[i] <= -1e30f));
  auto const gradient =
      esp::grad<0>([](auto a) { return sum(esp::max_pool2d<3, esp::pooling{.stride = 1, .padding = 1}>(a)); })(image);
  float sum = 0;
  for (int i = 0; i < 72; ++i) sum += gradient.data()[i];
  BOOST_TEST(std::abs(sum - 72) < 1e-4);
}
BOOST_AUTO_TEST_CASE(half_numbers) {
  BOOST_TEST(esp::half(not_a_number<double>()).bits == 0x7e00);
  BOOST_TEST(esp::half(infinite<float>()).bits == 0x7c00);
  BOOST_TEST(esp::half(minus_infinite<double>()).bits == 0xfc00);
  BOOST_TEST((esp::bfloat16(not_a_number<double>()).bits & 0x7fff) == 0x7fc0);
  BOOST_TEST(esp::bfloat16(1.0).bits == 0x3f80);
}
BOOST_AUTO_TEST_CASE(early_stopping_never_keeps_nan_as_best) {
  esp::early_stopping enough{.patience = 2};
  BOOST_TEST(!enough.observe(not_a_number<double>()));
  BOOST_TEST(!enough.observe(3));
  BOOST_TEST(enough.best == 3);
  BOOST_TEST(!enough.observe(not_a_number<double>()));
  BOOST_TEST(enough.observe(not_a_number<double>()));
}
// A batch with a number that is none, or an infinite one, is refused, and everything stays as it was: parameters,
// states, running statistics.
BOOST_AUTO_TEST_CASE(skip_non_finite_skips) {
  esp::model<Net> model{esp::seed{1}}, other{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::Adam{.learning_rate = 0.01f}},
                       esp::batch<16, 6>{}};
  esp::trainer never{other, nn::SoftmaxLoss{}, optim::skip_non_finite{optim::Adam{.learning_rate = 0.01f}},
                     esp::batch<16, 6>{}};
  auto const y = labels();
  for (int step = 0; step < 30; ++step) {
    auto const x = samples(step);
    float const loss = trainer.step(x, y);
    BOOST_TEST(has_finite_bits(loss));
    BOOST_TEST(never.step(x, y) == loss);
    auto bad = x;
    bad(step % 16, step % 6) = step % 3 == 0   ? not_a_number<float>()
                               : step % 3 == 1 ? infinite<float>()
                                               : minus_infinite<float>();
    (void)trainer.step(bad, y);
    BOOST_TEST(trainer.skipped_updates() == step + 1);
    BOOST_TEST(trainer.steps() == step + 1);
    BOOST_TEST_REQUIRE(not_finite(model) == 0);
  }
  BOOST_TEST(never.skipped_updates() == 0);
  for (std::int64_t i = 0; i < model.parameters().size(); ++i)
    BOOST_TEST(model.parameters()[i] == other.parameters()[i]);
  for (std::int64_t i = 0; i < model.buffers().size(); ++i) BOOST_TEST(model.buffers()[i] == other.buffers()[i]);
}
BOOST_AUTO_TEST_CASE(nan_is_detected_without_the_guard) {
  esp::model<nn::Sequential<nn::Linear<6, 4>, nn::ReLU, nn::Linear<4, 3>>> model{esp::seed{1}};
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::SGD<>{.learning_rate = 0.1f}, esp::batch<16, 6>{}};
  auto x = samples(0);
  for (int i = 0; i < 6; ++i) x(2, i) = not_a_number<float>();
  BOOST_TEST(is_nan(trainer.step(x, labels())));
  BOOST_TEST(not_finite(model) > 0);
}
// Files and arrays with such numbers are refused, unless they are asked for; a label that is none is refused even so.
BOOST_AUTO_TEST_CASE(non_finite_data_is_rejected) {
  namespace data = esp::data;
  namespace io = esp::io;
  using test::message, test::written;
  std::vector<int> const kinds{0, 1, 1};
  auto const error_of = [&](auto special) {
    std::vector<decltype(special)> numbers{1, 2, 3, 4, 5, 6};
    numbers[3] = special;
    return message<data::value_error>([&] {
      data::dataset<decltype(special), shape<2>>{numbers, kinds, {.classes = 2}};
    });
  };
  BOOST_TEST(error_of(3.0f).empty());
  BOOST_TEST(error_of(not_a_number<float>()).find("of sample 1 (set reading::non_finite to accept it)") !=
             std::string::npos);
  BOOST_TEST(error_of(minus_infinite<float>()).find("expected finite numbers, got -inf") != std::string::npos);
  BOOST_TEST(!error_of(not_a_number<double>()).empty());
  BOOST_TEST(!error_of(infinite<double>()).empty());
  auto const read = [](char const* content, bool non_finite) {
    written const file{content, "law_fast_math_file"};
    return io::read_csv("law_fast_math_file", {.non_finite = non_finite});
  };
  for (char const* content : {"1,nan,0\n", "1,inf,0\n", "-inf,2,0\n"}) {
    BOOST_TEST(message<io::format_error>([&] { (void)read(content, false); }).find("expected a finite number") !=
               std::string::npos);
    BOOST_TEST(message<io::format_error>([&] { (void)read(content, true); }).empty());
  }
  BOOST_TEST(!message<io::format_error>([&] {
                (void)data::table<float, shape<2>>(read("1,2,nan\n", true), {.classes = 2}, -1);
              }).empty());
  BOOST_TEST(
      !message<io::format_error>([&] { (void)data::table<float, shape<2>>(read("1,2,nan\n", true), {}, -1); }).empty());
}

// SPDX-License-Identifier: BSL-1.0
// The kernels of small programs have the bits of the others.
#define ESPALIER_SMALL
#define ESPALIER_SEPARATE_ROUNDING
#define BOOST_TEST_MODULE base_small
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/base/small.hpp>

#include <cstring>
#include <memory>
#include <vector>

#include "support/nets.hpp"

using namespace test;
namespace on_cpu = espalier::on_cpu;
namespace plan = espalier::plan;

namespace {

using small_arch = on_cpu::default_arch;
using fast_arch =
    on_cpu::instruction_set<small_arch::architecture, small_arch::bytes, on_cpu::detail::extensions & ~65536u>;
static_assert(on_cpu::is_small<small_arch> && !on_cpu::is_small<fast_arch>);

/// The memory that a program reads and writes: pseudo-random numbers, or labels 0, 1, 2, 0, ...
template <class T>
struct memory {
  static constexpr std::size_t room = 1 << 17;
  std::vector<T> numbers[4];  // workspace, parameters, gradients, buffers
  std::vector<T> arguments[3], results[3];
  std::vector<std::int32_t> labels;
  esp::on_device::random_state random{};

  explicit memory() {
    std::uint64_t seed = 1;
    auto const fill = [&](std::vector<T>& x) {
      x.resize(room);
      for (T& each : x) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        each = static_cast<T>(seed >> 40) / T(1 << 23) - T(1);
      }
    };
    for (auto& x : numbers) fill(x);
    for (auto& x : arguments) fill(x);
    for (auto& x : results) fill(x);
    for (T& variance : numbers[3]) variance = variance * variance + T(0.1);
    labels.resize(room);
    for (std::size_t i = 0; i < room; ++i) labels[i] = static_cast<std::int32_t>(i % 3);
  }
  template <class Program, class Arch>
  void run(bool has_labels) {
    void* base[plan::base::count]{};
    base[plan::base::workspace] = numbers[0].data();
    base[plan::base::parameters] = numbers[1].data();
    base[plan::base::gradients] = numbers[2].data();
    base[plan::base::buffers] = numbers[3].data();
    base[plan::base::random] = &random;
    for (int i = 0; i < 3; ++i) {
      base[plan::base::arguments + i] = arguments[i].data();
      base[plan::base::results + i] = results[i].data();
    }
    if (has_labels) base[plan::base::arguments + 1] = labels.data();
    static_assert(on_cpu::run_bytes<Program, T> <= room * sizeof(T));
    on_cpu::run_in_workspace<Program, T, Arch>(base);
  }
  bool operator==(memory const& other) const {
    auto const same = [](std::vector<T> const& a, std::vector<T> const& b) {
      return std::memcmp(a.data(), b.data(), room * sizeof(T)) == 0;
    };
    bool all =
        same(numbers[1], other.numbers[1]) && same(numbers[2], other.numbers[2]) && same(numbers[3], other.numbers[3]);
    for (int i = 0; i < 3; ++i) all = all && same(results[i], other.results[i]);
    return all;
  }
};

template <class Program, class T>
void check_program(char const* name, bool has_labels = false) {
  auto const before = std::make_unique<memory<T>>(), small = std::make_unique<memory<T>>(),
             fast = std::make_unique<memory<T>>();
  small->template run<Program, small_arch>(has_labels);
  fast->template run<Program, fast_arch>(has_labels);
  BOOST_TEST((*small == *fast), name);
  BOOST_TEST(!(*small == *before), name << ": computes something");
}
template <class Net, class Loss, class Batch>
void check_net(char const* name) {
  constexpr bool labels = std::is_same_v<Loss, nn::SoftmaxLoss>;
  check_program<esp::detail::evaluation_program<Net, Batch>, float>(name);
  check_program<esp::detail::training_program<Net, Loss, Batch>, float>(name, labels);
  check_program<esp::detail::training_program<Net, Loss, Batch>, double>(name, labels);
}

}  // namespace

BOOST_AUTO_TEST_CASE(nets_of_one_and_of_several_samples) {
  using Net = nn::Sequential<nn::Linear<64, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 10>>;
  check_net<Net, nn::SoftmaxLoss, esp::batch<8, 64>>("8 samples");
  check_net<Net, nn::SoftmaxLoss, esp::batch<7, 64>>("7 samples");
  check_net<Net, nn::SoftmaxLoss, esp::batch<2, 64>>("2 samples");
  check_program<esp::detail::evaluation_program<Net, esp::batch<1, 64>>, float>("a sample");
  check_program<esp::detail::evaluation_program<Net, esp::batch<1, 64>>, double>("a sample");
}
BOOST_AUTO_TEST_CASE(every_width_of_a_layer) {
  check_net<nn::Sequential<nn::Linear<5, 3>, nn::Tanh, nn::Linear<3, 3>>, nn::SoftmaxLoss, esp::batch<6, 5>>("3");
  check_net<nn::Sequential<nn::Linear<9, 21>, nn::GELU, nn::Linear<21, 6>>, nn::SoftmaxLoss, esp::batch<33, 9>>("21");
  check_net<nn::Sequential<nn::Linear<70, 53>, nn::Sigmoid, nn::Linear<53, 1>>, nn::MeanSquaredError,
            esp::batch<20, 70>>("53");
}
// The order of sums along a row: without a loop, with several vectors at once, in blocks, with column sums of two rows.
BOOST_AUTO_TEST_CASE(norms_of_short_and_long_rows) {
  check_net<nn::LayerNorm1d<43>, nn::MeanSquaredError, esp::batch<2, 43>>("43");
  check_net<nn::LayerNorm1d<64>, nn::MeanSquaredError, esp::batch<1, 64>>("1x64");
  check_net<nn::LayerNorm1d<100>, nn::MeanSquaredError, esp::batch<9, 100>>("9x100");
  check_net<nn::LayerNorm1d<130>, nn::MeanSquaredError, esp::batch<6, 130>>("6x130");
  check_net<nn::LayerNorm1d<9001>, nn::MeanSquaredError, esp::batch<3, 9001>>("3x9001");
}
// Packed products in several blocks of terms, and rows of b that are transposed in registers.
BOOST_AUTO_TEST_CASE(large_products) {
  check_net<nn::Linear<70, 96>, nn::MeanSquaredError, esp::batch<600, 70>>("600x70x96");
  check_net<nn::Sequential<nn::Linear<24, 40>, nn::ReLU, nn::Linear<40, 8>>, nn::MeanSquaredError, esp::batch<4, 24>>(
      "4x24x40");
}
// In blocks of rows and of terms, and in levels of them.
BOOST_AUTO_TEST_CASE(long_sums) {
  using Few = esp::detail::training_program<nn::Sequential<nn::Linear<1, 2>, nn::BatchNorm1d<2>>, nn::MeanSquaredError,
                                            esp::batch<20'000, 1>>;
  using Many = esp::detail::training_program<nn::Linear<6, 40>, nn::MeanSquaredError, esp::batch<1'500, 6>>;
  check_program<Few, float>("20000x1x2");
  check_program<Many, float>("1500x6x40");
}

// The kernels are those of single numbers, and packs of one number compute what the others do.
BOOST_AUTO_TEST_CASE(functions_of_one_number) {
  using many = on_cpu::pack<float, fast_arch>;
  using one = on_cpu::pack<float, on_cpu::one_lane<fast_arch>>;
  static_assert(one::size == 1 && many::size > 1);
  auto const check = [](char const* name, auto f) {
    for (float x : {-1e30f, -88.0f, -3.5f, -1.0f, -0.25f, -0.0f, 0.0f, 1e-40f, 0.3f, 1.0f, 2.5f, 90.0f, 1e30f}) {
      float const a = f(one(x))[0], b = f(many(x))[0];
      BOOST_TEST((std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b)),
                 name << " of " << x << ": " << a << ", " << b);
    }
  };
  check("exp", [](auto x) { return exp(x); });
  check("log", [](auto x) { return log(x); });
  check("tanh", [](auto x) { return tanh(x); });
  check("sigmoid", [](auto x) { return sigmoid(x); });
  check("erf", [](auto x) { return erf(x); });
  check("sin", [](auto x) { return sin(x); });
  check("cos", [](auto x) { return cos(x); });
  check("floor", [](auto x) { return floor(x); });
  check("sqrt", [](auto x) { return sqrt(x); });
  check("abs", [](auto x) { return abs(x); });
  check("is_finite", [](auto x) { return is_finite(x / 0.0f); });
  check("pow", [](auto x) { return pow(abs(x), x); });
  check("-", [](auto x) { return -x; });
  check("fma", [](auto x) { return fma(x, x + 1.0f, x / 3.0f); });
  check("maximum", [](auto x) { return maximum(x, -x) + minimum(x, x * 0.5f); });
  check("comparisons", [](auto x) {
    using P = decltype(x);
    return less(x, P(0.3f)) + 2.0f * less_equal(x, P(0.3f)) + 4.0f * greater(x, P(0.3f)) +
           8.0f * greater_equal(x, P(0.3f)) + 16.0f * equal(x, P(0.3f)) + 32.0f * not_equal(x, P(0.3f)) +
           select(x, P(64.0f), P(0.0f)) + select((x < 1.0f) & !(x == 0.3f), P(128.0f), P(0.0f)) +
           to_number((x > 2.0f) | (x != 1.0f)) + to_number((x <= 2.0f) ^ (x >= 1.0f));
  });
  float const not_a_number = __builtin_nanf("");
  for (auto f : {+[](one a, one b) { return maximum(a, b); }, +[](one a, one b) { return minimum(a, b); }}) {
    float const first = f(not_a_number, 1.0f)[0], second = f(1.0f, not_a_number)[0];
    BOOST_TEST((first != first && second != second));
  }
}
BOOST_AUTO_TEST_CASE(loops_have_one_number) {
  using Net = nn::Sequential<nn::Linear<64, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 10>>;
  using Program = esp::detail::training_program<Net, nn::SoftmaxLoss, esp::batch<8, 64>>;
  constexpr auto const& groups = plan::plan_of<Program>.groups;
  int fused = 0;
  [&]<int... X>(std::integer_sequence<int, X...>) {
    (
        [&] {
          if constexpr (groups.groups[X + 1].kind == plan::kernel_kind::fused) {
            using kernel = typename on_cpu::detail::fused_kernel<Program, X + 1, float, small_arch>::run_type;
            static_assert(kernel::width == 1);
            using other = typename on_cpu::detail::fused_kernel<Program, X + 1, float, fast_arch>;
            static_assert(std::is_same_v<typename other::run_type, typename other::type> && other::type::width == 4);
            ++fused;
          }
        }(),
        ...);
  }
  (std::make_integer_sequence<int, groups.group_count>{});
  BOOST_TEST(fused >= 3);
}

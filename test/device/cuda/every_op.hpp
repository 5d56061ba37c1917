// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/test/unit_test.hpp>

#include <list>
#include <string>
#include <vector>

#include "support/numbers.hpp"
#if defined(EVERY_OP_BY_SAMPLE)
#include "support/every_op_by_sample.hpp"
#else
#include "support/result_sizes.hpp"
#include "support/test_device.hpp"
#endif

namespace every_op {

using namespace test;

/// Numbers in [low, high], every second one whole quarters: what lies at a kink, and elements that are equal.
template <int... E>
esp::tensor<float, esp::shape<E...>> random_tensor(std::uint64_t seed, double low = -2, double high = 2) {
  auto x = floats<E...>(seed, low, high);
  for (std::int64_t i = 0; i < x.size(); i += 2) x[i] = std::nearbyint(x[i] * 4) / 4;
  return x;
}

}  // namespace every_op

/// Ops on the device that tests run on, against the processor: the value, and the gradients of sum(dy value) with
/// respect to every operand. In float, and with elements stored in 16 bits, which is held to what the processor
/// computes in float of the same rounded numbers. One program is planned for a function, whatever the element type, and
/// its tensors are arrays here: half the time of what a compiler does. With EVERY_OP_BY_SAMPLE the same ops are checked
/// in another way (support/every_op_by_sample.hpp).
#if !defined(EVERY_OP_BY_SAMPLE)
namespace every_op {

inline constexpr double within = 1e-5, within_narrow = 2e-2;

/// An operand: numbers, or labels as the bytes that they are.
struct operand {
  std::vector<float> numbers;
  std::vector<unsigned char> bytes;
};
template <class T, class S>
operand operand_of(esp::tensor<T, S> const& x) {
  if constexpr (std::is_same_v<T, float>) return {{x.begin(), x.end()}, {}};
  auto const* const first = reinterpret_cast<unsigned char const*>(x.data());
  return {{}, {first, first + sizeof(T) * static_cast<std::size_t>(x.size())}};
}
using arrays = std::vector<std::vector<float>>;

/// The memory of a program on a device.
template <class Engine, class T>
class memory_of_program {
 public:
  memory_of_program(std::vector<operand> const& operands, std::vector<result_size> const& sizes, std::size_t workspace)
      : sizes_{sizes} {
    base[esp::plan::base::workspace] = add(std::vector<unsigned char>(workspace, 0xff));
    int position = esp::plan::base::arguments;
    for (operand const& x : operands)
      base[position++] = x.bytes.empty() ? add(std::vector<T>(x.numbers.begin(), x.numbers.end())) : add(x.bytes);
    for (result_size const& x : sizes_) base[result(x)] = add(std::vector<T>(x.size, static_cast<T>(NAN)));
  }
  arrays results() const {
    arrays r;
    for (result_size const& x : sizes_) {
      std::vector<T> y(x.size);
      engine.to_host(y.data(), base[result(x)], y.size() * sizeof(T));
      r.emplace_back(y.begin(), y.end());
    }
    return r;
  }

  Engine engine;
  void* base[esp::plan::base::count]{};

 private:
  struct block {
    block(Engine const& e, std::size_t bytes) : memory{e.allocate(bytes)} {}
    typename Engine::memory memory;
  };

  static int result(result_size const& x) { return esp::plan::base::results + x.index; }
  template <class E>
  void* add(std::vector<E> const& x) {
    std::size_t const bytes = x.size() * sizeof(E);
    void* const at = blocks_.emplace_back(engine, bytes).memory.template at<unsigned char>(0);
    engine.to_device(at, x.data(), bytes);
    return at;
  }

  std::vector<result_size> sizes_;
  std::list<block> blocks_;
};

/// A program on a device, without its type: what is compiled for each program is its kernels and little else.
struct planned {
  std::vector<result_size> sizes;
  std::size_t workspace;
  void (*run)(void* const* base);
};
template <class Device, class Program, class T>
planned planned_for() {
  using Engine = typename esp::detail::engine_of<Device>::type;
  auto const& sizes = result_sizes<Program>;
  return {{sizes.begin(), sizes.end()}, Engine::template run_bytes<Program, T>, [](void* const* base) {
            Engine{}.template run<Program, T>(base);
          }};
}
template <class Device, class T>
arrays results_of(planned const& p, std::vector<operand> const& operands) {
  memory_of_program<typename esp::detail::engine_of<Device>::type, T> m{operands, p.sizes, p.workspace};
  p.run(m.base);
  return m.results();
}

/// Relative to the largest element of each result.
inline void compare(char const* name, char const* how, arrays const& got, arrays const& expected, double allowed) {
  for (std::size_t r = 0; r < expected.size(); ++r) {
    double largest = 0;
    for (float w : expected[r]) largest = std::fmax(largest, std::fabs(static_cast<double>(w)));
    for (std::size_t i = 0; i < expected[r].size(); ++i) {
      double const a = static_cast<double>(got[r][i]), b = static_cast<double>(expected[r][i]);
      if (std::fabs(a - b) <= allowed * largest) continue;
      std::string const which = r == 0 ? "value" : "gradient " + std::to_string(r - 1);
      BOOST_ERROR(name << " in " << how << ", " << which << ", element " << i << " of " << expected[r].size() << ": "
                       << a << ", expected " << b << "; the largest is " << largest);
      break;
    }
  }
}

inline void check_program(char const* name, std::vector<operand> operands, planned const& host_plan,
                          arrays (*host_results)(planned const&, std::vector<operand> const&),
                          planned const& device_plan, planned const& half_plan, planned const& bfloat16_plan) {
  esp::tensor<float, esp::shape<4096>> const some = floats<4096>(99, 0.5, 1.5);
  std::vector<float> dy(host_plan.sizes[0].size);
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = some[static_cast<std::int64_t>(i % 4096)];
  operands.push_back({dy, {}});
  compare(name, "float", results_of<device, float>(device_plan, operands), host_results(host_plan, operands), within);
  // What bfloat16 has, half has too, so both are given the same numbers.
  for (operand& x : operands)
    for (float& e : x.numbers) e = static_cast<float>(static_cast<esp::bfloat16>(e));
  arrays const expected = host_results(host_plan, operands);
  compare(name, "half", results_of<device, esp::half>(half_plan, operands), expected, within_narrow);
  compare(name, "bfloat16", results_of<device, esp::bfloat16>(bfloat16_plan, operands), expected, within_narrow);
}

/// f, of numbers and labels of the host, which computes in Reference: double where float sums too many to be a
/// reference.
template <class Reference = float, class F, class... X>
void check(char const* name, F, X const&... x) {
  using Program =
      esp::detail::gradient_program<F, esp::detail::all_differentiated<X...>(), true, esp::detail::eager_leaf<X>...>;
  check_program(name, {operand_of(x)...}, planned_for<esp::cpu, Program, Reference>(), results_of<esp::cpu, Reference>,
                planned_for<device, Program, float>(), planned_for<device, Program, esp::half>(),
                planned_for<device, Program, esp::bfloat16>());
}

}  // namespace every_op
#endif

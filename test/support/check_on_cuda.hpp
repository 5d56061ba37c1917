// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/eager/gradient.hpp>
#include <espalier/operation/operation.hpp>

#include "kernel_backend.hpp"
#include "numbers.hpp"
#include "result_sizes.hpp"

/// A function of tensors, value and gradients, by the kernels of the graphics processor, thread by thread, against the
/// CPU device.
namespace test {

namespace on_both {

template <class X>
using leaf = esp::detail::eager_leaf<X>;
template <class F, class... X>
using program = esp::detail::gradient_program<F, esp::detail::all_differentiated<X...>(), true, leaf<X>...>;
template <class F, class... X>
using result_shape = esp::shape_of<typename esp::derivative::body_of_function<F, leaf<X>...>::type>;

template <class T>
std::string first_difference(T const* got, T const* expected, std::int64_t size, double allowed) {
  double largest = 0;
  for (std::int64_t i = 0; i < size; ++i) largest = std::fmax(largest, std::fabs(static_cast<double>(expected[i])));
  for (std::int64_t i = 0; i < size; ++i) {
    double const a = static_cast<double>(got[i]), b = static_cast<double>(expected[i]);
    if (!(std::fabs(a - b) <= allowed * std::fmax(largest, 1e-30))) {
      std::ostringstream text;
      text << "element " << i << " of " << size << " is " << a << ", expected " << b;
      return text.str();
    }
  }
  return {};
}

}  // namespace on_both

/// The machines to run a program on: threads in their order with clusters of blocks, in another order without.
struct by_fibers {
  template <class Check>
  static void each(Check check) {
    for (int order : {0, 1}) {
      kernel_backend<> m{order == 0, espalier::on_cuda::fiber_launcher{order}};
      check(order == 0 ? "in order" : "in another order, without clusters", m);
    }
  }
};

/// f at x and the gradients of sum(dy f): kernels on the graphics processor equal those of the CPU to 1e-5 (float) or
/// 1e-12.
template <class Backends = by_fibers, class F, class... X>
void check_on_cuda(char const* name, F, X const&... x) {
  using T = typename esp::detail::shared_element<X...>::type;
  using Program = on_both::program<F, X...>;
  using S = on_both::result_shape<F, X...>;
  auto const dy = numbers<T, S>(99, 0.5, 1.5);

  std::vector<void*> base(static_cast<std::size_t>(esp::plan::base::count));
  int argument = 0;
  auto const set_argument = [&](auto const* data) {
    base[static_cast<std::size_t>(esp::plan::base::arguments + argument++)] =
        const_cast<std::remove_const_t<std::remove_pointer_t<decltype(data)>>*>(data);
  };
  (set_argument(x.data()), ...);
  set_argument(dy.data());
  esp::on_device::random_state random{42, 7};
  base[esp::plan::base::random] = &random;
  std::vector<T> none(64);
  base[esp::plan::base::hyperparameters] = none.data();

  auto const run = [&](auto&& runner) {
    std::vector<std::vector<T>> results;
    for (result_size const& r : result_sizes<Program>) results.emplace_back(r.size, T(__builtin_nan("")));
    std::size_t number = 0;
    for (result_size const& r : result_sizes<Program>)
      base[static_cast<std::size_t>(esp::plan::base::results + r.index)] = results[number++].data();
    runner();
    return results;
  };
  auto const expected = run([&] {
    esp::tensor<T, esp::shape<espalier::plan::plan_of<Program>.memory.workspace + 16>> workspace;
    base[esp::plan::base::workspace] = workspace.data();
    espalier::on_cpu::run<Program, T>(base.data());
  });
  Backends::each([&](char const* how, auto& backend) {
    auto const got = run([&] { run_on_kernel_backend<Program, T>(backend, base.data()); });
    for (std::size_t i = 0; i < got.size(); ++i) {
      std::string const text = on_both::first_difference(
          got[i].data(), expected[i].data(), static_cast<std::int64_t>(got[i].size()), sizeof(T) == 4 ? 1e-5 : 1e-12);
      BOOST_CHECK_MESSAGE(text.empty(), name << ", " << how << ", result " << i << ": " << text);
    }
  });
}

}  // namespace test

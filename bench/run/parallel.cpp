// SPDX-License-Identifier: BSL-1.0
// Two threads: a product, a layer normalization, and a copy, to see what two cores' memory gives. The program is not
// pinned.
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/parallel.hpp>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

#include "espalier_side.hpp"
#include "normalization.hpp"

namespace esp = espalier;

namespace {

bench::threads const two{2};

struct product {
  constexpr auto operator()(auto a, auto b) const { return matmul(a, b); }
};
struct layer_norm {
  constexpr auto operator()(auto x, auto w, auto b) const { return esp::normalize<1>(x, bench::norm_eps) * w + b; }
};

template <class F, class In, class Out>
struct row_of {
  bench::row row;
  bench::implementation own, one_thread;
  row_of(std::string const& name, std::vector<bench::input> in, std::vector<bench::output> out, double bytes,
         double flops)
      : row{name, std::move(in), std::move(out), bytes, flops},
        own{name, "espalier",
            [](bench::operands o) { return bench::compiled_work<F, In, Out, esp::cpu_parallel<2>>(o); }},
        one_thread{name, "espalier_1_thread", [](bench::operands o) { return bench::compiled_work<F, In, Out>(o); }} {}
};

constexpr int n = 1024, rows = 8192, columns = 4096;
constexpr std::size_t large = std::size_t{rows} * columns;
using square = esp::shape<n, n>;
row_of<product, bench::in<square, square>, bench::out<square>> const matmul_row{
    "matmul_2_threads/1024x1024x1024", {{n * n}, {n * n}}, {{n * n}}, 12. * n* n, 2. * n* n* n};
row_of<layer_norm, bench::in<esp::shape<rows, columns>, esp::shape<columns>, esp::shape<columns>>,
       bench::out<esp::shape<rows, columns>>> const norm_row{"layer_norm_forward_2_threads/8192x4096",
                                                             {{large}, {columns, .5f, 1.5f}, {columns}},
                                                             {{large}},
                                                             8. * large,
                                                             8. * large};

/// A second thread that copies the second half when told.
class helper {
 public:
  helper(float* to, float const* from, std::size_t count)
      : thread_{[=, this] {
          for (int generation = 0;; ++generation) {
            while (started_.load(std::memory_order_acquire) == generation) __builtin_ia32_pause();
            if (stop_) return;
            std::memcpy(to, from, count * sizeof(float));
            done_.store(generation + 1, std::memory_order_release);
          }
        }} {}
  ~helper() {
    stop_ = true;
    start();
    thread_.join();
  }
  void start() { started_.fetch_add(1, std::memory_order_release); }
  void wait() const {
    while (done_.load(std::memory_order_acquire) != started_.load(std::memory_order_relaxed)) __builtin_ia32_pause();
  }

 private:
  std::atomic<int> started_{0}, done_{0};
  bool stop_ = false;
  std::thread thread_;
};

bench::row const copy_row{"copy_2_threads/128MiB", {{large}}, {{large}}, 8. * large, 0};
bench::implementation const copies{"copy_2_threads/128MiB", "memcpy",
                                   [](bench::operands o) -> bench::work {
                                     auto const other =
                                         std::make_shared<helper>(o.out[0] + large / 2, o.in[0] + large / 2, large / 2);
                                     return {bench::repeated([=] {
                                       other->start();
                                       std::memcpy(o.out[0], o.in[0], large / 2 * sizeof(float));
                                       other->wait();
                                     })};
                                   },
                                   bench::library};

}  // namespace

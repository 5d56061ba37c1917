// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_simulator_thread_context
#include <boost/test/unit_test.hpp>

#include <vector>

#include <espalier/device/cuda/simulator/fiber_context.hpp>
#include <espalier/device/cuda/simulator/thread_context.hpp>

#include "context_kernels.hpp"

using espalier::on_cuda::fiber_launcher;
using espalier::on_cuda::kernel_table;
using espalier::on_cuda::thread_launcher;
using namespace context_kernels;

namespace {

template <int Threads, int Blocks>
void check_sums() {
  thread_launcher launcher;
  auto const x = integers(Threads * Blocks);
  BOOST_TEST((results<sums<Threads, Blocks>>(launcher, x, Blocks) == sums_of(x, Threads)), Threads << " threads");
}

BOOST_AUTO_TEST_CASE(block_sums) {
  check_sums<32, 3>();
  check_sums<128, 2>();
  check_sums<256, 1>();
}

/// The same bits as fibers compute: sums have one order.
BOOST_AUTO_TEST_CASE(softmax_of_rows) {
  thread_launcher threads;
  fiber_launcher fibers;
  auto const x = integers(2 * 77);
  using kernel = softmax<64, 2, 77>;
  BOOST_TEST((results<kernel>(threads, x, x.size()) == results<kernel>(fibers, x, x.size())));
}

template <int Cluster, int Threads>
void check_clusters() {
  thread_launcher launcher;
  auto const x = integers(Cluster * Threads * 2);
  BOOST_TEST(
      (results<cluster_sums<Cluster, Threads, 2>>(launcher, x, Cluster * 2) == sums_of(x, Cluster * Threads, Cluster)),
      Cluster << " blocks");
}

BOOST_AUTO_TEST_CASE(clusters) {
  check_clusters<2, 64>();
  check_clusters<8, 32>();
}

BOOST_AUTO_TEST_CASE(exchange_in_rounds) {
  thread_launcher launcher;
  auto const x = integers(64);
  using kernel = neighbours<64, 3, true, true>;
  BOOST_TEST((results<kernel>(launcher, x, 64) == kernel::expected(x)));
}

/// Shared memory is NaN where a block begins, every slot, type and count is memory of its own, and shuffles take any
/// lane.
struct arrays {
  static constexpr int threads = 32, cluster = 1;
  static constexpr std::int64_t blocks = 2;
  using table = kernel_table<1>;
  template <class Context>
  static void run(Context const& c, table const& t) {
    auto* const a = c.template shared<float, 32, 0>();
    auto* const b = c.template shared<double, 32, 0>();
    auto* const d = c.template shared<float, 32, 1>();
    int const i = c.thread();
    int wrong = (a[i] == a[i]) + (b[i] == b[i]) + (d[i] == d[i]);
    a[i] = 1;
    b[i] = 2;
    d[i] = 3;
    wrong += (a[i] != 1) + (b[i] != 2) + (d[i] != 3);
    wrong += c.shuffle(i, 31 - i) != 31 - i;
    wrong += c.shuffle(static_cast<double>(i), i + 1) != (i + 1) % 32;
    wrong += c.shuffle_xor(i, 32) != i;
    static_cast<int*>(t.pointer[0])[c.block() * 32 + i] = wrong;
  }
};

BOOST_AUTO_TEST_CASE(shared_arrays) {
  std::vector<int> wrong(64, -1);
  thread_launcher{}.launch<arrays>({{wrong.data()}, {}});
  BOOST_TEST((wrong == std::vector<int>(64, 0)));
}

#if defined(ESPALIER_TEST_RACE)
// By hand: -fsanitize=thread -DESPALIER_TEST_RACE=0 reports a data race, =1 another one, for the barrier that each
// lacks.
BOOST_AUTO_TEST_CASE(a_race) {
  thread_launcher launcher;
  (void)results<neighbours<64, 2, ESPALIER_TEST_RACE != 0, ESPALIER_TEST_RACE != 1>>(launcher, integers(64), 64);
}
#endif

}  // namespace

// SPDX-License-Identifier: BSL-1.0
// What the plan states of sharded states is what each process allocates.
#define BOOST_TEST_MODULE allocation_sharded
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/distributed.hpp>

#include "support/allocation_counter.hpp"
#include "support/thread_processes.hpp"

namespace nn = espalier::nn;
namespace optim = espalier::optim;
namespace esp = espalier;

namespace {
using net =
    nn::Sequential<nn::Linear<12, 300>, nn::ReLU, nn::Dropout<0.25>, nn::Linear<300, 33>, nn::Tanh, nn::Linear<33, 5>>;
using of_processes = esp::model<net, esp::distributed<esp::cpu, 4096>>;
template <class Optimizer>
using trainer_of = esp::trainer<of_processes, nn::SoftmaxLoss, Optimizer, esp::batch<6, 12>>;
/// The bytes that each process allocates when it makes its trainer.
template <class Optimizer>
std::vector<long> allocated(int count) {
  std::vector<long> r(static_cast<std::size_t>(count));
  auto const errors = test::as_processes(count, [&](test::thread_process& all) {
    of_processes model{esp::seed{5}, all};
    long const before = espalier_test::aligned_bytes();
    trainer_of<Optimizer> trainer{model, nn::SoftmaxLoss{}, Optimizer{}, esp::batch<6, 12>{}};
    r[static_cast<std::size_t>(all.rank())] = espalier_test::aligned_bytes() - before;
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  return r;
}
}  // namespace

// What the plan states for each process is what it allocates, and the sum is that of one process.
BOOST_AUTO_TEST_CASE(bytes_of_each_process) {
  using sharded = trainer_of<optim::sharded<optim::Adam>>;
  using whole = trainer_of<optim::Adam>;
  static_assert(sharded::bytes + whole::optimizer_bytes == whole::bytes);
  static_assert(sharded::optimizer_bytes(1, 0) == whole::optimizer_bytes);
  for (int count : {2, 3, 4, 7}) {
    auto const of_sharded = allocated<optim::sharded<optim::Adam>>(count), of_whole = allocated<optim::Adam>(count);
    std::size_t sum = 0;
    for (int k = 0; k < count; ++k) {
      auto const i = static_cast<std::size_t>(k);
      auto const stated = static_cast<long>(sharded::optimizer_bytes(count, k)),
                 all = static_cast<long>(whole::optimizer_bytes);
      constexpr long lines = 2 * 64;  // two ranges, in which parts differ by a line
      BOOST_TEST(std::abs(stated - all / count) <= 2 * lines);
      // Parts that are received have room for a whole range.
      BOOST_TEST(of_sharded[i] <= of_whole[i] - all + stated + lines * count);
      BOOST_TEST(of_sharded[i] >= static_cast<long>(sharded::bytes) + stated);
      sum += sharded::optimizer_bytes(count, k);
    }
    BOOST_TEST(sum == whole::optimizer_bytes);
    BOOST_TEST_MESSAGE(count << " processes: each has " << of_sharded[0] << " bytes, "
                             << sharded::optimizer_bytes(count, 0) << " of them for states; not sharded " << of_whole[0]
                             << ", " << whole::optimizer_bytes);
  }
}

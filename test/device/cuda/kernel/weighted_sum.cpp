// SPDX-License-Identifier: BSL-1.0
// Weighted sums of the parts of several processes, against the same sums in the same order on this processor.
#define BOOST_TEST_MODULE device_cuda_kernel_weighted_sum
#include <boost/test/unit_test.hpp>

#include <limits>

#include <espalier/device/cuda/kernel/weighted_sum.hpp>

#include "launched.hpp"

using namespace launched;

namespace {

/// Sums with factors that are powers of two, so that products are exact and only the order of the sums rounds.
template <class T, int Blocks>
void check(int64_t packs, int parts, int me, int joined = -1) {
  using kernel = on_cuda::weighted_sum_kernel<T, Blocks>;
  using number = on_cuda::compute_type<T>;
  constexpr int V = kernel::V;
  int64_t const count = packs * V, each = count + 2 * V;
  std::vector<T> slots = random_numbers<T>(each * parts, 3), own = random_numbers<T>(count, 4);
  std::vector<number> factors;
  for (int k = 0; k < parts; ++k) factors.push_back(k == joined ? number(0) : number(1) / number(1 << (2 * k)));
  // Large parts that cancel, so that another order has another result.
  for (int64_t i = 0; i < count; i += 3) {
    if (me != 0) slots[static_cast<size_t>(i)] = static_cast<T>(number(1000));
    if (me != 1 && parts > 1) slots[static_cast<size_t>(each + i)] = static_cast<T>(number(-4000));
  }
  if (joined >= 0 && joined != me)
    for (int64_t i = 0; i < count; ++i)
      slots[static_cast<size_t>(each * joined + i)] = static_cast<T>(std::numeric_limits<number>::quiet_NaN());
  auto expected = slots;
  for (int64_t i = 0; i < count; ++i) {
    number sum = 0;
    bool is_first = true;
    for (int k = 0; k < parts; ++k) {
      if (k == joined) continue;
      auto const x =
          static_cast<number>(k == me ? own[static_cast<size_t>(i)] : slots[static_cast<size_t>(each * k + i)]);
      number const product = factors[static_cast<size_t>(k)] * x;
      sum = is_first ? product : sum + product;
      is_first = false;
    }
    expected[static_cast<size_t>(each * me + i)] = static_cast<T>(sum);
  }
  for (int order : {0, 1, 2}) {
    on_cuda::fiber_launcher launcher(order);
    memory<T> a(own), b(slots);
    memory<number> f(factors);
    launcher.template launch<kernel>({{a.data(), b.data(), f.data()},
                                      {static_cast<std::uint64_t>(each), static_cast<std::uint64_t>(packs),
                                       static_cast<std::uint64_t>(parts), static_cast<std::uint64_t>(me)}});
    BOOST_TEST(b.untouched_around());
    BOOST_TEST(same(b.values(), expected), packs << " packs, part " << me << " of " << parts << ", order " << order);
  }
}
template <class T>
void sizes() {
  for (int64_t packs : {1, 5, 255, 256, 700})
    for (int parts : {1, 2, 3})
      for (int me = 0; me < parts; ++me) check<T, 1>(packs, parts, me);
  check<T, 16>(40, 4, 2);
  check<T, 16>(16 * 256 + 3, 4, 3);
  check<T, 1>(9, 3, 1, 0);
  check<T, 1>(9, 3, 1, 2);
  check<T, 1>(9, 3, 2, 2);
}

}  // namespace

BOOST_AUTO_TEST_CASE(floats) { sizes<float>(); }
BOOST_AUTO_TEST_CASE(doubles) { sizes<double>(); }
BOOST_AUTO_TEST_CASE(halves) { sizes<espalier::half>(); }
BOOST_AUTO_TEST_CASE(bfloats) { sizes<espalier::bfloat16>(); }

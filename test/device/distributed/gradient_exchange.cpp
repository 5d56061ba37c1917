// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE gradient_exchange
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <espalier/device/distributed/gradient_exchange.hpp>

#include "support/thread_processes.hpp"

namespace esp = espalier;
namespace on_device = espalier::on_device;
using esp::plan::gradient_range;

namespace {

/// What a gradient_exchange is constructed from.
struct engine {
  esp::processes& of;
  esp::processes& all() const { return of; }
};

struct alignas(64) cache_line {
  unsigned char at[64];
};
/// Elements at an aligned address, as a trainer's gradients are.
template <class T>
class aligned {
 public:
  explicit aligned(std::size_t count) : lines_((count * sizeof(T) + 63) / 64) {}
  T* data() { return reinterpret_cast<T*>(lines_.data()); }

 private:
  std::vector<cache_line> lines_;
};

/// The gradient that process k has at element i, in step s.
template <class T>
T element(int k, std::int64_t i, int s) {
  return static_cast<T>(std::sin(0.37 * static_cast<double>(i + 1) * (k + 1) + s));
}

/// Exchanges these ranges in some steps, and compares them with sums in the order of the ranks. samples: of each
/// process.
template <class T>
void exchange(std::vector<gradient_range> const& ranges, std::vector<std::int64_t> const& samples) {
  auto const processes = static_cast<int>(samples.size());
  std::int64_t size = 0, all_samples = 0;
  for (auto const& r : ranges) size = std::max(size, r.offset + esp::plan::rounded(r.size));
  for (auto s : samples) all_samples += s;
  std::vector<std::vector<T>> results(samples.size());
  auto const errors = test::as_processes(processes, [&](test::thread_process& all) {
    auto const me = static_cast<std::size_t>(all.rank());
    aligned<T> gradients(static_cast<std::size_t>(size));
    on_device::gradient_exchange<T> exchange{engine{all}};
    double state[8] = {1.0 + all.rank()};
    alignas(64) double shared[8];
    std::memcpy(shared, state, sizeof state);
    exchange.meet(17, gradients.data(), ranges.data(), static_cast<int>(ranges.size()), shared, sizeof shared);
    test::expect(shared[0] == 1.0, "the state of process 0");
    for (int s = 0; s < 3; ++s) {
      // Gaps between tensors are zeros. A process without samples has what is no number.
      for (std::int64_t i = 0; i < size; ++i) gradients.data()[i] = T(0);
      for (auto const& r : ranges)
        for (std::int64_t i = r.offset; i < r.offset + r.size; ++i)
          gradients.data()[i] = samples[me] > 0 ? element<T>(all.rank(), i, s) : std::numeric_limits<T>::quiet_NaN();
      on_device::step_header header{};
      header.number = static_cast<std::uint64_t>(s) + 1;
      header.samples = samples[me];
      header.wants_loss = 1;
      header.is = samples[me] > 0 ? on_device::step_header::state::trains : on_device::step_header::state::has_joined;
      exchange.begin(header);
      for (int done = 1; done <= static_cast<int>(ranges.size()); ++done) exchange.ready(done);
      double expected = 0;
      for (std::size_t k = 0; k < samples.size(); ++k)
        expected += 10.0 * static_cast<double>(k) * static_cast<double>(samples[k]);
      double const mean = exchange.finish(10.0 * all.rank());
      test::expect(std::abs(mean - expected / static_cast<double>(all_samples)) < 1e-12, "the mean of all samples");
      test::expect(exchange.samples() == all_samples, "the samples of all");
    }
    results[me].assign(gradients.data(), gradients.data() + size);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  for (auto const& r : results) BOOST_TEST((r == results[0]));
  for (auto const& r : ranges)
    for (std::int64_t i = r.offset; i < r.offset + r.size; ++i) {
      double expected = 0;
      for (int k = 0; k < processes; ++k)
        if (samples[static_cast<std::size_t>(k)] > 0)
          expected += static_cast<double>(element<T>(k, i, 2)) *
                      static_cast<double>(samples[static_cast<std::size_t>(k)]) / static_cast<double>(all_samples);
      if (std::abs(static_cast<double>(results[0][static_cast<std::size_t>(i)]) - expected) > 2e-6)
        BOOST_TEST(results[0][static_cast<std::size_t>(i)] == static_cast<T>(expected), "element " << i);
    }
}

}  // namespace

// Ranges of few bytes, which are sent whole, and of many; sizes that no number of processes divides; fewer lines than
// processes.
BOOST_AUTO_TEST_CASE(any_sizes_and_numbers_of_processes) {
  std::vector<gradient_range> const ranges{{40000, 10001}, {16, 5}, {32, 39000}, {0, 1}};
  for (int n = 1; n <= 5; ++n) {
    std::vector<std::int64_t> const equal(static_cast<std::size_t>(n), 8);
    exchange<float>(ranges, equal);
    exchange<double>(ranges, equal);
  }
  exchange<float>({{0, 100003}}, {3, 3, 3});
  exchange<float>({}, {3, 3});
}

// The mean is over samples, and a process without any takes no part, whatever is in its memory.
BOOST_AUTO_TEST_CASE(weights) {
  std::vector<gradient_range> const ranges{{0, 33333}, {33344, 70}};
  exchange<float>(ranges, {5, 1, 9});
  exchange<float>(ranges, {0, 7});
  exchange<double>(ranges, {4, 0, 0, 2});
}

// Sums are in the order of the ranks: large numbers that cancel do so exactly, whichever process sums.
BOOST_AUTO_TEST_CASE(order_of_sums) {
  std::vector<std::vector<float>> results(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    constexpr std::int64_t count = 50000;
    aligned<float> gradients(count);
    on_device::gradient_exchange<float> exchange{engine{all}};
    gradient_range const range{0, count};
    exchange.meet(1, gradients.data(), &range, 1, nullptr, 0);
    float const own[] = {1e8f, -1e8f, 1.5f};
    for (std::int64_t i = 0; i < count; ++i) gradients.data()[i] = own[all.rank()];
    on_device::step_header header{};
    header.number = 1;
    header.samples = 1;
    exchange.begin(header);
    exchange.ready_all();
    exchange.finish(0);
    results[static_cast<std::size_t>(all.rank())].assign(gradients.data(), gradients.data() + count);
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  for (auto const& r : results)
    for (float x : r) BOOST_REQUIRE_EQUAL(x, 0.5f);
}

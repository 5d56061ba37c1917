// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE statistics_exchange
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <espalier/device/distributed/statistics_exchange.hpp>

#include "support/thread_processes.hpp"

namespace esp = espalier;
namespace on_device = espalier::on_device;
using esp::graph::process_exchange;

namespace {

/// What a statistics_exchange is constructed from.
struct engine {
  esp::processes& of;
  esp::processes& all() const { return of; }
};

/// Values far from 0, of which processes have parts.
double element(int i, int channel) { return 2000 + 10 * channel + std::sin(0.7 * i + channel); }

/// Combines the moments of `counts[k]` elements of each process k, and compares them with those of all elements.
template <class T>
void combine_moments(std::vector<std::int64_t> const& counts, int channels, double tolerance) {
  std::vector<std::vector<T>> values;
  std::vector<T const*> parts;
  int first = 0;
  for (auto count : counts) {
    std::vector<T> own(static_cast<std::size_t>(2 * channels + 1), std::numeric_limits<T>::quiet_NaN());
    own.back() = static_cast<T>(count);
    for (int c = 0; c < channels && count > 0; ++c) {
      double sum = 0, squares = 0;
      for (int i = first; i < first + count; ++i) sum += element(i, c);
      double const mean = sum / static_cast<double>(count);
      for (int i = first; i < first + count; ++i) squares += (element(i, c) - mean) * (element(i, c) - mean);
      own[static_cast<std::size_t>(c)] = static_cast<T>(mean);
      own[static_cast<std::size_t>(channels + c)] = static_cast<T>(squares / static_cast<double>(count));
    }
    first += static_cast<int>(count);
    values.push_back(own);
  }
  for (auto const& v : values) parts.push_back(v.data());
  std::vector<T> out(values[0].size());
  on_device::detail::combine_parts(out.data(), parts.data(), counts.data(), static_cast<int>(counts.size()),
                                   static_cast<std::int64_t>(out.size()), {channels, 1});
  for (int c = 0; c < channels; ++c) {
    double sum = 0, squares = 0;
    for (int i = 0; i < first; ++i) sum += element(i, c);
    double const mean = sum / first;
    for (int i = 0; i < first; ++i) squares += (element(i, c) - mean) * (element(i, c) - mean);
    BOOST_TEST(std::abs(static_cast<double>(out[static_cast<std::size_t>(c)]) / mean - 1) < tolerance);
    // A mean of float near 2000 is off by up to 6e-5, which the squares of differences have.
    BOOST_TEST(std::abs(static_cast<double>(out[static_cast<std::size_t>(channels + c)]) - squares / first) <
               tolerance * 2000);
  }
  BOOST_TEST(out.back() == static_cast<T>(first));
}

}  // namespace

BOOST_AUTO_TEST_CASE(moments_of_all) {
  for (int channels : {1, 31, 32, 33, 100}) {
    combine_moments<double>({6, 6}, channels, 1e-13);
    combine_moments<double>({5, 1, 12}, channels, 1e-13);
    combine_moments<double>({5, 0, 12, 0}, channels, 1e-13);  // values of processes without samples are NaN
    combine_moments<float>({5, 0, 12, 4}, channels, 2e-7);
  }
}
// With one process the values stay as they are, bit for bit.
BOOST_AUTO_TEST_CASE(one_process_keeps_its_bits) {
  std::vector<double> const own{1 / 3.0, -1e300, 5e-324, 0.1, 7.7, 3};
  double const* const part[] = {own.data()};
  for (std::int64_t const samples : {std::int64_t{1}, std::int64_t{49}, std::int64_t{1000003}})
    for (int moments : {0, 2}) {
      std::vector<double> out(own.size());
      on_device::detail::combine_parts(out.data(), part, &samples, 1, 6, {moments, 7});
      BOOST_TEST(out == own);
    }
}
BOOST_AUTO_TEST_CASE(mean_over_samples) {
  std::vector<float> const a{1, 2, 3}, b{5, -2, 1}, c{std::numeric_limits<float>::infinity(), 0, 0};
  float const* const part[] = {a.data(), b.data(), c.data()};
  std::int64_t const samples[] = {3, 1, 0};
  std::vector<float> out(3);
  on_device::detail::combine_parts(out.data(), part, samples, 3, 3, {0});
  BOOST_TEST(out == (std::vector<float>{2, 1, 2.5f}));
}

// Values are exchanged within a step, beside gradients. A process without samples takes part. Afterwards the buffers
// are those of a process that had samples.
BOOST_AUTO_TEST_CASE(exchanges_within_a_step) {
  constexpr int steps = 12;
  std::vector<std::vector<double>> seen(3);
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    struct alignas(64) block {
      double at[128];
    };
    block gradients{}, state{};
    esp::plan::gradient_range const ranges[] = {{0, 40}, {40, 30}};
    on_device::statistics_exchange<double> exchange{engine{all}};
    exchange.meet(7, gradients.at, ranges, 2, state.at, 128);
    exchange.meet_values(70, 24 * 8);
    auto& own = seen[static_cast<std::size_t>(all.rank())];
    for (int s = 1; s <= steps; ++s) {
      std::int64_t const samples = all.rank() == 2 && s > steps / 2 ? 0 : 4 + all.rank();
      exchange.begin({static_cast<std::uint64_t>(s), 0, 0, 0, samples,
                      samples > 0 ? on_device::step_header::state::trains : on_device::step_header::state::has_joined,
                      1});
      for (double& g : gradients.at) g = s + all.rank();
      for (int size : {70, 3, 16}) {
        if (samples == 0) {
          exchange.pass(size);
          continue;
        }
        std::vector<double> value(static_cast<std::size_t>(size));
        for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<double>(i) + 100 * all.rank() + s;
        exchange.combine(value.data(), size, {0});
        double const rank = s > steps / 2 ? 5.0 / 9 : (5 + 12) / 15.0;
        for (std::size_t i = 0; i < value.size(); ++i)
          test::expect(std::abs(value[i] - (static_cast<double>(i) + 100 * rank + s)) < 1e-10, "the mean of all");
        own.insert(own.end(), value.begin(), value.end());
      }
      exchange.ready_all();
      double const loss = exchange.finish(s);
      test::expect(std::abs(loss - s) < 1e-12, "the loss");
    }
    std::vector<double> buffers(24);
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i] = static_cast<double>(i) + 100 * all.rank();
    exchange.share_buffers(buffers.data(), 24 * 8);
    for (std::size_t i = 0; i < buffers.size(); ++i)
      test::expect(buffers[i] == static_cast<double>(i), "the buffers of process 0");
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
  BOOST_TEST(seen[0] == seen[1]);
  BOOST_TEST(seen[2].size() == seen[0].size() / 2);
}
// The buffers are those of the first process that had samples in the latest step.
BOOST_AUTO_TEST_CASE(buffers_of_the_process_that_trained_last) {
  auto const errors = test::as_processes(3, [&](test::thread_process& all) {
    alignas(64) double gradients[16]{}, state[16]{};
    esp::plan::gradient_range const range{0, 16};
    on_device::statistics_exchange<double> exchange{engine{all}};
    exchange.meet(7, gradients, &range, 1, state, 128);
    exchange.meet_values(8, 5 * 8);
    std::int64_t const samples = all.rank() == 1 ? 3 : 0;
    exchange.begin({1, 0, 0, 0, samples,
                    samples > 0 ? on_device::step_header::state::trains : on_device::step_header::state::has_joined,
                    0});
    double value[8] = {1, 2, 3};
    if (samples > 0) exchange.combine(value, 8, {0});
    else exchange.pass(8);
    exchange.ready_all();
    exchange.finish(0);
    double buffers[5] = {10.0 * all.rank(), 1, 2, 3, 4};
    exchange.share_buffers(buffers, sizeof buffers);
    test::expect(buffers[0] == 10, "the buffers of process 1");
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
}

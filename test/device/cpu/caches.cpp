// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cpu_caches
#include <boost/test/unit_test.hpp>
#include <espalier/device/cpu/caches.hpp>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

#include <vector>

namespace esp = espalier;
namespace on_cpu = espalier::on_cpu;

BOOST_AUTO_TEST_CASE(size_of_the_last_level) {
  BOOST_TEST(on_cpu::cache_bytes() >= 4096);
  BOOST_TEST(on_cpu::cache_bytes() == on_cpu::cache_bytes());
}

BOOST_AUTO_TEST_CASE(size_of_the_second_level) {
  BOOST_TEST(on_cpu::second_cache_bytes() >= 4096);
  BOOST_TEST(on_cpu::second_cache_bytes() <= on_cpu::cache_bytes());
  BOOST_TEST(on_cpu::kept_in_second_cache(4096) <= 4096);
  BOOST_TEST(on_cpu::kept_in_second_cache(std::int64_t{1} << 40) < on_cpu::second_cache_bytes());
}

#if defined(__SSE2__)
// What was read is kept: the processor is asked once. Every processor reads and writes it without a lock.
BOOST_AUTO_TEST_CASE(sizes_are_read_once) {
  static_assert(__atomic_always_lock_free(sizeof on_cpu::detail::detected_caches.last, nullptr));
  auto const second = static_cast<std::intptr_t>(on_cpu::second_cache_bytes()),
             last = static_cast<std::intptr_t>(on_cpu::cache_bytes());
  on_cpu::detail::detected_caches = {second + 64, last + 64};
  BOOST_TEST(on_cpu::second_cache_bytes() == second + 64);
  BOOST_TEST(on_cpu::cache_bytes() == last + 64);
  on_cpu::detail::detected_caches = {second, last};
}
#else
// Nothing is detected: constants.
BOOST_AUTO_TEST_CASE(sizes_are_constants) {
  BOOST_TEST(on_cpu::cache_bytes() == on_cpu::detail::usual_cache);
  BOOST_TEST(on_cpu::second_cache_bytes() == on_cpu::detail::usual_second_cache);
}
#endif

BOOST_AUTO_TEST_CASE(small_results_are_never_streamed) {
  static_assert(!on_cpu::may_stream(on_cpu::least_streamed) && on_cpu::may_stream(on_cpu::least_streamed + 1));
}

BOOST_AUTO_TEST_CASE(beyond_the_last_level_or_what_was_found) {
  alignas(64) float line[32];
  float* const aligned[] = {line, line + 16};
  float* const odd[] = {line, line + 1};
  std::int64_t const more = on_cpu::cache_bytes() + 1;
  int const before = on_cpu::detail::streams_within_caches;
  on_cpu::detail::streams_within_caches = 0;
  BOOST_TEST(on_cpu::streams_now<64>(more, aligned, 2));
  BOOST_TEST(!on_cpu::streams_now<64>(more, odd, 2));
  BOOST_TEST(!on_cpu::streams_now<64>(1, aligned, 2));
  on_cpu::detail::streams_within_caches = 1;
  BOOST_TEST(on_cpu::streams_now<64>(1, aligned, 2));
  on_cpu::detail::streams_within_caches = before;
}

// Each way is tried, then one of them is kept: the one that took less time, by a clock that the test sets.
BOOST_AUTO_TEST_CASE(the_tuner_keeps_the_faster_stores) {
  for (int slow = 0; slow < 2; ++slow) {
    on_cpu::store_tuner tuner;
    std::vector<int> ways;
    std::uint64_t now = 1;
    for (int call = 0; call < on_cpu::store_tuner::calls + 4; ++call)
      tuner.run(
          [&] {
            ways.push_back(on_cpu::detail::streams_within_caches);
            // The first call, which is not counted, takes longest.
            now += call == 0 ? 1000u : ways.back() == slow ? 20u : 10u;
          },
          [&] { return now; });
    for (int call = 0; call < on_cpu::store_tuner::calls; ++call)
      BOOST_TEST(ways[static_cast<std::size_t>(call)] == (call >= on_cpu::store_tuner::calls_into_caches));
    for (int call = on_cpu::store_tuner::calls; call < on_cpu::store_tuner::calls + 4; ++call)
      BOOST_TEST(ways[static_cast<std::size_t>(call)] == 1 - slow);
  }
}

BOOST_AUTO_TEST_CASE(without_a_clock_nothing_is_tried) {
  on_cpu::store_tuner tuner;
  for (int call = 0; call < on_cpu::store_tuner::calls + 2; ++call)
    tuner.run([] { BOOST_TEST(on_cpu::detail::streams_within_caches == 0); }, [] { return std::uint64_t{0}; });
}

// A program with large results gives the same ones in its first calls, in which both ways are tried, and afterwards.
BOOST_AUTO_TEST_CASE(results_are_the_same_bits) {
  constexpr int rows = 1024, columns = 1040;
  esp::tensor<float, esp::shape<rows, columns>> x, y;
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1009) * 0.01f - 5;
  std::vector<float> first;
  for (int call = 0; call < on_cpu::store_tuner::calls + 2; ++call) {
    y.fill(-1);
    y = x * 0.5f + relu(x - 1);
    if (call == 0) first.assign(y.begin(), y.end());
    BOOST_TEST(std::equal(first.begin(), first.end(), y.begin()));
  }
  for (std::int64_t i = 0; i < x.size(); i += 997) BOOST_TEST(y[i] == x[i] * 0.5f + std::max(x[i] - 1, 0.0f));
}

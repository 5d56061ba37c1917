// SPDX-License-Identifier: BSL-1.0
// Also meant for the thread sanitizer: meson setup build-threads -Db_sanitize=thread -Db_lundef=false
#define BOOST_TEST_MODULE device_cpu_thread_parallel
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include <espalier/device/cpu/thread/parallel.hpp>

namespace on_cpu = espalier::on_cpu;

namespace {

/// How often each part has run. Plain numbers: the thread sanitizer would see two threads in one part.
struct tally {
  int of[256]{};
  static void count(void const* context, int which, int) {
    ++const_cast<tally*>(static_cast<tally const*>(context))->of[which];
  }
  bool each_is(int times, int parts) const {
    for (int i = 0; i < 256; ++i)
      if (of[i] != (i < parts ? times : 0)) return false;
    return true;
  }
};

/// y[i] = x[i]^2 and the sum of all, cut in parts.
template <int Size, int Parts>
struct squares {
  static constexpr int parts = Parts;
  static constexpr std::int64_t scratch = Parts;
  static void part(void* const* p, float* shared, int which) {
    float const* const x = static_cast<float const*>(p[0]);
    float* const y = static_cast<float*>(p[1]);
    float sum = 0;
    for (int i = Size * which / Parts; i < Size * (which + 1) / Parts; ++i) sum += y[i] = x[i] * x[i];
    shared[which] = sum;
  }
  static void finish(void* const* p, float* shared) {
    float sum = 0;
    for (int i = 0; i < Parts; ++i) sum += shared[i];
    *static_cast<float*>(p[2]) = sum;
  }
  static void run(void* const* p) {
    float shared[static_cast<std::size_t>(Parts)];
    for (int i = 0; i < Parts; ++i) part(p, shared, i);
    finish(p, shared);
  }
};
/// y[i] = i, by way of memory of its own, which no other thread may change meanwhile.
template <int Size, int Parts>
struct own_memory : on_cpu::independent_parts {
  static constexpr int parts = Parts;
  static constexpr std::int64_t room_size = on_cpu::room_for<float>(Size);
  static void part(on_cpu::room<float> own, float* y, float*, int which) {
    for (int again = 0; again < 20; ++again) {
      for (int i = 0; i < Size; ++i) own.at[i] = static_cast<float>(which * Size + i);
      for (int i = 0; i < Size; ++i) y[which * Size + i] = own.at[i];
    }
  }
  static void run(on_cpu::room<float> own, float* y) {
    for (int i = 0; i < Parts; ++i) part(own, y, nullptr, i);
  }
};
/// One without parts.
struct fills {
  static void run(float* y, float x) { *y = x; }
};

using numbers_of_threads = std::tuple<std::integral_constant<int, 2>, std::integral_constant<int, 3>,
                                      std::integral_constant<int, 4>, std::integral_constant<int, 7>>;

}  // namespace

BOOST_AUTO_TEST_CASE_TEMPLATE(every_part_runs_once, N, numbers_of_threads) {
  on_cpu::team<N::value> const team;
  BOOST_TEST(team.size() == N::value);
  for (int parts : {0, 1, 2, 3, 5, 16, 100, 255}) {
    tally t;
    team.run(parts, &tally::count, &t);
    BOOST_TEST(t.each_is(1, parts), parts);
  }
}
BOOST_AUTO_TEST_CASE_TEMPLATE(a_team_runs_many_jobs, N, numbers_of_threads) {
  on_cpu::team<N::value> const team;
  tally t;
  int const times = 20000;
  for (int i = 0; i < times; ++i) team.run(2 + i % 15, &tally::count, &t);
  int total = 0;
  for (int n : t.of) total += n;
  int expected = 0;
  for (int i = 0; i < times; ++i) expected += 2 + i % 15;
  BOOST_TEST(total == expected);
}
BOOST_AUTO_TEST_CASE(threads_that_sleep_wake) {
  on_cpu::team<3> const team;
  tally t;
  for (int i = 0; i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    team.run(16, &tally::count, &t);
  }
  BOOST_TEST(t.each_is(50, 16));
}
BOOST_AUTO_TEST_CASE(others_help) {
  on_cpu::team<2> const team;
  struct meeting {
    std::atomic<int> arrived{0};
  } m;
  // Both parts wait for each other: they end only if two threads run them.
  team.run(
      2,
      [](void const* context, int, int) {
        auto& arrived = const_cast<meeting*>(static_cast<meeting const*>(context))->arrived;
        ++arrived;
        while (arrived != 2) std::this_thread::yield();
      },
      &m);
  BOOST_TEST(m.arrived == 2);
}
BOOST_AUTO_TEST_CASE(a_job_within_a_job_runs_on_its_own_thread) {
  struct nested {
    on_cpu::team<2> team;
    tally t[8];
  } const n;
  n.team.run(
      8,
      [](void const* context, int which, int) {
        nested const& own = *static_cast<nested const*>(context);
        own.team.run(16, &tally::count, &own.t[which]);
      },
      &n);
  for (tally const& t : n.t) BOOST_TEST(t.each_is(1, 16));
}
BOOST_AUTO_TEST_CASE(several_callers_share_a_team) {
  on_cpu::team<2> const team;
  tally t[3];
  std::vector<std::thread> callers;
  for (tally& own : t)
    callers.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) team.run(8, &tally::count, &own);
    });
  for (std::thread& c : callers) c.join();
  for (tally const& own : t) BOOST_TEST(own.each_is(2000, 8));
}
BOOST_AUTO_TEST_CASE(teams_come_and_go) {
  tally t;
  for (int i = 0; i < 200; ++i) {
    on_cpu::team<3> const team;
    if (i % 2 == 0) team.run(5, &tally::count, &t);
  }
  BOOST_TEST(t.each_is(100, 5));
}
BOOST_AUTO_TEST_CASE(a_kernel_gives_the_same_bits_on_any_team) {
  constexpr int size = 10007;
  using kernel = squares<size, 16>;
  std::vector<float> x(size), y(size), expected(size);
  for (int i = 0; i < size; ++i) x[static_cast<std::size_t>(i)] = 0.37f * static_cast<float>(i % 97) - 11;
  float sum = 0, expected_sum = 0;
  void* alone[] = {x.data(), expected.data(), &expected_sum};
  void* const together[] = {x.data(), y.data(), &sum};
  kernel::run(alone);
  auto const check = [&](auto const& team) {
    for (int i = 0; i < 100; ++i) {
      sum = 0;
      on_cpu::detail::run_kernel<kernel, float>(team, static_cast<void* const*>(together));
      BOOST_REQUIRE((sum == expected_sum && y == expected));
    }
  };
  check(on_cpu::one_thread{});
  check(on_cpu::team<2>{});
  check(on_cpu::team<3>{});
  check(on_cpu::team<5>{});
}
BOOST_AUTO_TEST_CASE(a_kernel_without_parts_runs_on_the_caller) {
  float y = 0;
  on_cpu::detail::run_kernel<fills, float>(on_cpu::team<2>{}, &y, 3.0f);
  BOOST_TEST(y == 3);
}
#if defined(__SSE__) || defined(__aarch64__)
template <class Team>
void fills_in_rooms(Team const& team) {
  constexpr int size = 100, parts = 16;
  using kernel = own_memory<size, parts>;
  constexpr std::size_t bytes = kernel::room_size * sizeof(float);
  std::vector<float> y(size * parts), alone = y;
  // Behind the rooms of all threads nothing is written.
  alignas(64) static std::byte memory[bytes * static_cast<std::size_t>(Team::threads) + 1];
  memory[bytes * static_cast<std::size_t>(Team::threads)] = std::byte{7};
  on_cpu::detail::team_with_room<Team> const with{team, memory, bytes};
  static_assert(on_cpu::detail::parts_of<kernel, float, float*>() == parts);
  for (int again = 0; again < 50; ++again) {
    std::fill(y.begin(), y.end(), -1.0f);
    on_cpu::detail::run_kernel<kernel, float>(with, y.data());
    for (int i = 0; i < size * parts; ++i) BOOST_REQUIRE(y[static_cast<std::size_t>(i)] == static_cast<float>(i));
  }
  BOOST_TEST((memory[bytes * static_cast<std::size_t>(Team::threads)] == std::byte{7}));
  on_cpu::detail::run_kernel<kernel, float>(team, alone.data());
  BOOST_TEST(y == alone);
}
BOOST_AUTO_TEST_CASE(each_thread_has_memory_of_its_own) {
  fills_in_rooms(on_cpu::team<3>{});
  fills_in_rooms(on_cpu::team<2>{});
}

BOOST_AUTO_TEST_CASE(helpers_treat_subnormals_as_the_caller_does) {
  on_cpu::team<2> const team;
  struct product {
    std::atomic<int> arrived{0};
    float volatile factor = std::numeric_limits<float>::min();
    float of[2]{};
  };
  auto const multiply = [](void const* context, int which, int) {
    product& p = *const_cast<product*>(static_cast<product const*>(context));
    ++p.arrived;
    while (p.arrived != 2) std::this_thread::yield();
    p.of[which] = p.factor * 0.5f;
  };
  auto const before = on_cpu::detail::float_control();
  product kept, flushed;
  team.run(2, multiply, &kept);
#if defined(__SSE__)
  on_cpu::detail::float_control(before | 0x8040);  // flush results to zero, take operands for zero
#else
  on_cpu::detail::float_control(before | 1u << 24);
#endif
  team.run(2, multiply, &flushed);
  on_cpu::detail::float_control(before);
  BOOST_TEST((kept.of[0] > 0 && kept.of[1] > 0));
  BOOST_TEST((flushed.of[0] == 0 && flushed.of[1] == 0));
}
#endif

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_simulator_fiber_context
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

#include <espalier/device/cuda/simulator/fiber_context.hpp>

#include "context_kernels.hpp"

using espalier::on_cuda::cuda_error;
using espalier::on_cuda::divergent_threads;
using espalier::on_cuda::fiber_launcher;
using espalier::on_cuda::kernel_table;
using namespace context_kernels;

namespace {

constexpr int orders[] = {0, 1, 2, 3, 4};

template <int Threads, int Blocks>
void check_sums(fiber_launcher& launcher) {
  auto const x = integers(Threads * Blocks);
  BOOST_TEST((results<sums<Threads, Blocks>>(launcher, x, Blocks) == sums_of(x, Threads)), Threads << " threads");
}

BOOST_AUTO_TEST_CASE(block_sums) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    check_sums<32, 3>(launcher);
    check_sums<64, 1>(launcher);
    check_sums<256, 5>(launcher);
    check_sums<1024, 2>(launcher);
    check_sums<96, 2>(launcher);  // fewer threads than before, on stacks that are there
  }
}

template <int Threads, int Blocks, int Length>
void check_softmax(fiber_launcher& launcher) {
  auto const x = integers(Blocks * Length);
  auto const y = results<softmax<Threads, Blocks, Length>>(launcher, x, x.size());
  auto const expected = softmax_of(x, Length);
  int wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += !(std::fabs(y[i] - expected[i]) < 1e-6);
  BOOST_TEST(wrong == 0, Threads << " threads, length " << Length);
}

BOOST_AUTO_TEST_CASE(softmax_of_rows) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    check_softmax<32, 3, 1>(launcher);
    check_softmax<128, 3, 77>(launcher);
    check_softmax<256, 2, 1000>(launcher);
  }
}

template <int Cluster, int Threads>
void check_clusters(fiber_launcher& launcher) {
  auto const x = integers(Cluster * Threads * 3);
  BOOST_TEST(
      (results<cluster_sums<Cluster, Threads, 3>>(launcher, x, Cluster * 3) == sums_of(x, Cluster * Threads, Cluster)),
      Cluster << " blocks");
}

BOOST_AUTO_TEST_CASE(clusters) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    check_clusters<2, 64>(launcher);
    check_clusters<4, 32>(launcher);
    check_clusters<8, 256>(launcher);
    check_sums<32, 1>(launcher);
  }
}

BOOST_AUTO_TEST_CASE(no_exchange) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    auto const x = integers(64 * 7);
    auto expected = x;
    for (float& v : expected) v *= 2;
    BOOST_TEST((results<doubled<64, 7>>(launcher, x, x.size()) == expected));
  }
}

// ---- shuffles

/// Each lane takes from a lane of its own choice, in a type of its own: pointer 0 gets the sum of what it took.
struct shuffles {
  static constexpr int threads = 64, cluster = 1;
  static constexpr std::int64_t blocks = 1;
  using table = kernel_table<1>;
  struct wide {
    std::int64_t a, b;
  };
  template <class Context>
  static void run(Context const& c, table const& t) {
    int const lane = c.thread() % 32;
    int sum = 0;
    sum += c.shuffle(lane, 31 - lane);                                 // 31 - lane
    sum += 100 * static_cast<int>(c.shuffle(double(lane), lane + 1));  // the next; the last takes from the first
    sum += 10000 * static_cast<int>(c.shuffle_xor(static_cast<unsigned char>(lane), 1));
    sum += 1000000 * static_cast<int>(c.shuffle(wide{lane, c.thread() / 32}, 3).b);
    sum += 10000000 * (c.shuffle_xor(lane, 32) == lane ? 1 : 0);  // there is no lane 32
    static_cast<int*>(t.pointer[0])[c.thread()] = sum;
  }
};

BOOST_AUTO_TEST_CASE(shuffles_of_every_size) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    std::vector<int> y(64);
    launcher.launch<shuffles>({{y.data()}, {}});
    for (int i = 0; i < 64; ++i) {
      int const lane = i % 32;
      BOOST_TEST(y[static_cast<std::size_t>(i)] ==
                 31 - lane + 100 * ((lane + 1) % 32) + 10000 * (lane ^ 1) + 1000000 * (i / 32) + 10000000);
    }
  }
}

// ---- mistakes

/// In how many of the orders the kernel gives what is expected.
template <class Kernel>
int right(std::vector<float> const& x, std::vector<float> const& expected) {
  int count = 0;
  for (int order : orders) {
    fiber_launcher launcher(order);
    count += results<Kernel>(launcher, x, expected.size()) == expected ? 1 : 0;
  }
  return count;
}

BOOST_AUTO_TEST_CASE(a_missing_barrier_changes_numbers) {
  int const all = sizeof orders / sizeof *orders;
  auto const x = integers(256);
  auto const sum = sums_of(x, 256);
  BOOST_TEST((right<sums<256, 1>>(x, sum)) == all);
  BOOST_TEST((right<sums<256, 1, false>>(x, sum)) < all);
  // Within one warp, and where memory is used again before all have read it.
  auto const y = integers(32);
  BOOST_TEST((right<neighbours<32, 2, true, true>>(y, neighbours<32, 2, true, true>::expected(y))) == all);
  BOOST_TEST((right<neighbours<32, 2, false, true>>(y, neighbours<32, 2, true, true>::expected(y))) == 0);
  BOOST_TEST((right<neighbours<256, 2, true, false>>(x, neighbours<256, 2, true, true>::expected(x))) < all);
  BOOST_TEST((right<neighbours<32, 2, true, false>>(y, neighbours<32, 2, true, true>::expected(y))) < all);
}

/// Thread 0 writes, thread 1 reads: the natural order of threads hides that nobody waits.
struct hidden_in_order_0 {
  static constexpr int threads = 64, cluster = 1;
  static constexpr std::int64_t blocks = 1;
  using table = kernel_table<2>;
  template <class Context>
  static void run(Context const& c, table const& t) {
    float* const shared = c.template shared<float, 1, 0>();
    if (c.thread() == 0) *shared = static_cast<float const*>(t.pointer[0])[0];
    if (c.thread() == 40) static_cast<float*>(t.pointer[1])[0] = *shared;
  }
};

BOOST_AUTO_TEST_CASE(another_order_shows_what_one_hides) {
  fiber_launcher natural(0), reversed(1);
  BOOST_TEST(results<hidden_in_order_0>(natural, {3.0f}, 1)[0] == 3.0f);
  BOOST_TEST(std::isnan(results<hidden_in_order_0>(reversed, {3.0f}, 1)[0]));
}

/// Thread 40 of the second block, or its warp, goes its own way.
enum class way {
  skips_barrier,
  leaves_at_shuffle,
  barrier_at_shuffle,
  other_shuffle,
  other_size,
  cluster_at_barrier,
  warp_leaves
};

template <way Way>
struct divergent {
  static constexpr int threads = 64, cluster = 2;
  static constexpr std::int64_t blocks = 2;
  using table = kernel_table<1>;
  template <class Context>
  static void run(Context const& c, table const&) {
    c.barrier();
    bool const odd = c.block() == 1 && (Way == way::warp_leaves ? c.thread() >= 32 : c.thread() == 40);
    if constexpr (Way == way::skips_barrier || Way == way::warp_leaves) {
      if (!odd) c.barrier();
    } else if constexpr (Way == way::leaves_at_shuffle) {
      if (!odd) (void)c.shuffle_xor(1.0f, 1);
    } else if constexpr (Way == way::barrier_at_shuffle) {
      if (odd) c.barrier();
      else (void)c.shuffle_xor(1.0f, 1);
    } else if constexpr (Way == way::other_shuffle) {
      if (odd) (void)c.shuffle(1.0f, 1);
      else (void)c.shuffle_xor(1.0f, 1);
    } else if constexpr (Way == way::other_size) {
      if (odd) (void)c.shuffle(1.0, 1);
      else (void)c.shuffle(1.0f, 1);
    } else {
      if (odd) c.cluster_barrier();
      else c.barrier();
    }
  }
};

template <class Error, class Kernel>
std::string error_of(fiber_launcher& launcher) {
  try {
    launcher.launch<Kernel>({});
  } catch (Error const& e) {
    return e.what();
  }
  return "no error";
}

bool contains(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

template <way Way>
void diverges(char const* one, char const* other) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    auto const text = error_of<divergent_threads, divergent<Way>>(launcher);
    BOOST_TEST((contains(text, "divergent") && contains(text, ": thread ")), text);
    BOOST_TEST(contains(text, "of block 1"), text);
    BOOST_TEST(contains(text, Way == way::warp_leaves ? "thread 32" : "thread 40"), text);
    BOOST_TEST((contains(text, one) && contains(text, other)), text);
    check_sums<256, 2>(launcher);  // the launcher can be used again
    check_clusters<2, 64>(launcher);
  }
}

BOOST_AUTO_TEST_CASE(divergence) {
  diverges<way::skips_barrier>("waits at a barrier of its block", "has ended");
  diverges<way::warp_leaves>("waits at a barrier of its block", "has ended");
  diverges<way::leaves_at_shuffle>("waits at a shuffle_xor", "has ended");
  diverges<way::barrier_at_shuffle>("waits at a shuffle_xor", "waits at a barrier of its block");
  diverges<way::other_shuffle>("waits at a shuffle_xor", "thread 40 of block 1 waits at a shuffle");
  diverges<way::other_size>("waits at a shuffle", "(of 4 and of 8 bytes)");
  diverges<way::cluster_at_barrier>("waits at a barrier of its block", "waits at a barrier of its cluster");
}

/// One block of a cluster does not come to its barrier.
struct block_leaves {
  static constexpr int threads = 32, cluster = 2;
  static constexpr std::int64_t blocks = 4;
  using table = kernel_table<1>;
  template <class Context>
  static void run(Context const& c, table const&) {
    if (c.block() != 3) c.cluster_barrier();
  }
};

BOOST_AUTO_TEST_CASE(divergence_of_blocks) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    auto const text = error_of<divergent_threads, block_leaves>(launcher);
    BOOST_TEST(
        (contains(text, "block_leaves") && contains(text, ": thread 0 of block 2 waits at a barrier of its cluster")),
        text);
    BOOST_TEST(contains(text, "of block 3 has ended"), text);
  }
}

BOOST_AUTO_TEST_CASE(memory_of_a_block_that_is_gone) {
  for (int order : orders) {
    fiber_launcher launcher(order);
    auto x = integers(128), y = x;
    using kernel = cluster_sums<2, 64, 1, false>;
    BOOST_CHECK_EXCEPTION(launcher.launch<kernel>({{x.data(), y.data()}, {}}), cuda_error,
                          [](cuda_error const& e) { return contains(e.what(), "in which threads have ended"); });
  }
}

template <int Floats, int More>
struct requests_shared_memory {
  static constexpr int threads = 32, cluster = 1;
  static constexpr std::int64_t blocks = 1;
  using table = kernel_table<1>;
  template <class Context>
  static void run(Context const& c, table const&) {
    auto* const first = c.template shared<float, Floats, 0>();
    auto* const second = c.template shared<float, More, 1>();
    first[c.thread()] = second[c.thread()] = 1;
  }
};

BOOST_AUTO_TEST_CASE(as_much_shared_memory_as_a_block_has) {
  fiber_launcher launcher;
  BOOST_TEST((error_of<cuda_error, requests_shared_memory<12256, 32>>(launcher)) == "no error");
  auto const text = error_of<cuda_error, requests_shared_memory<12256, 33>>(launcher);
  BOOST_TEST(contains(text, "requests 132 bytes of shared memory in addition to 49024: a block has 49152 bytes"), text);
  check_sums<64, 1>(launcher);
}

/// Each slot, type and count is memory of its own; it is NaN in the second block, too. Behind writes one element too
/// many.
template <bool Behind>
struct arrays {
  static constexpr int threads = 32, cluster = 1;
  static constexpr std::int64_t blocks = 2;
  using table = kernel_table<1>;
  template <class Context>
  static void run(Context const& c, table const& t) {
    auto* const a = c.template shared<float, 3, 0>();
    auto* const b = c.template shared<float, 4, 0>();
    auto* const d = c.template shared<double, 3, 0>();
    auto* const e = c.template shared<float, 3, 1>();
    if (c.thread() != 0) return;
    int wrong = 0;
    for (int i = 0; i < 3; ++i) wrong += (a[i] == a[i]) + (b[i] == b[i]) + (d[i] == d[i]) + (e[i] == e[i]);
    for (int i = 0; i < 3; ++i) a[i] = 1, b[i] = 2, d[i] = 3, e[i] = 4;
    for (int i = 0; i < 3; ++i) wrong += (a[i] != 1) + (b[i] != 2) + (d[i] != 3) + (e[i] != 4);
    if (Behind) a[static_cast<int>(c.block()) + 2] = 7;
    static_cast<int*>(t.pointer[0])[c.block()] = wrong;
  }
};

BOOST_AUTO_TEST_CASE(shared_arrays) {
  fiber_launcher launcher;
  int wrong[2] = {-1, -1};
  launcher.launch<arrays<false>>({{wrong}, {}});
  BOOST_TEST((wrong[0] == 0 && wrong[1] == 0));
  BOOST_CHECK_EXCEPTION(launcher.launch<arrays<true>>({{wrong}, {}}), cuda_error, [](cuda_error const& e) {
    return contains(e.what(), "wrote past the end of a shared array of 12 bytes, in block 1");
  });
}

}  // namespace

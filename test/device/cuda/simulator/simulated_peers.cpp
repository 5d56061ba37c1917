// SPDX-License-Identifier: BSL-1.0
// Exchanges between simulated devices of several processes: what arrives where, and what is rejected.
#define BOOST_TEST_MODULE device_cuda_simulator_simulated_peers
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/peers.hpp>
#include <espalier/device/cuda/process_device.hpp>
#include <espalier/device/cuda/simulator/simulated_peers.hpp>
#include <espalier/device/distributed/from_first_process.hpp>

#include "support/thread_processes.hpp"

namespace esp = espalier;
namespace on_cuda = espalier::on_cuda;
using test::expect;

namespace {
static_assert(on_cuda::Peers<on_cuda::simulated_peers, on_cuda::simulated_backend>);

/// A device with two backends, and its peers.
struct machine {
  on_cuda::simulated_backend main, beside;
  on_cuda::simulated_peers peers;
  explicit machine(test::thread_process& all)
      : main(0, true, true, all.rank()), beside(0, true, true, all.rank()), peers{main, beside, all} {}
  float* with(std::vector<float> const& x) {
    auto* const at = static_cast<float*>(beside.allocate(x.size() * sizeof(float)));
    beside.to_device(at, x.data(), x.size() * sizeof(float));
    return at;
  }
  std::vector<float> read(float const* at, std::size_t count) {
    std::vector<float> r(count);
    beside.to_host(r.data(), at, count * sizeof(float));
    return r;
  }
};
std::vector<std::string> of_two(void (*f)(test::thread_process&)) { return test::as_processes(2, f, 0.3); }
void check_error(std::string const& got, char const* part) {
  BOOST_TEST(got.find(part) != std::string::npos, "expected: " << part << "; got: " << got);
}
}  // namespace

BOOST_AUTO_TEST_CASE(parts) {
  static_assert(on_cuda::detail::part_of(40, 16, 0) == 16);
  static_assert(on_cuda::detail::part_of(40, 16, 2) == 8);
  static_assert(on_cuda::detail::part_of(40, 16, 3) == 0);
}

// 40 elements in parts of 16: process 2 has 8 of them, process 3 none.
BOOST_AUTO_TEST_CASE(scatter_and_gather) {
  auto const errors = test::as_processes(4, [](test::thread_process& all) {
    machine m{all};
    int const me = all.rank();
    std::vector<float> own(40), slots(64, -1.0f);
    for (int i = 0; i < 40; ++i) own[static_cast<std::size_t>(i)] = static_cast<float>(100 * me + i);
    float *const from = m.with(own), *const to = m.with(slots);
    m.peers.scatter(static_cast<float const*>(from), to, 16, 40);
    auto const got = m.read(to, 64);
    int const count = me < 2 ? 16 : me == 2 ? 8 : 0;
    for (int k = 0; k < 4; ++k)
      for (int i = 0; i < 16; ++i)
        expect(got[static_cast<std::size_t>(16 * k + i)] ==
                   (k != me && i < count ? static_cast<float>(100 * k + 16 * me + i) : -1.0f),
               "the part of this process of each other one");
    // Each sends its slot back.
    std::vector<float> const mine(16, static_cast<float>(me));
    m.beside.to_device(to + 16 * me, mine.data(), 64);
    m.peers.gather(to, 16, from, 40);
    auto const all_of_them = m.read(from, 40);
    for (int i = 0; i < 40; ++i)
      expect(all_of_them[static_cast<std::size_t>(i)] == static_cast<float>(i / 16), "the slot of each process");
    expect(m.peers.exchanges() == 2, "two exchanges");
    // The others' parts of 40 elements, and the own slot to three others.
    expect(m.peers.sent_bytes() == (40 - count) * 4 + 3 * 64, "no more bytes than needed");
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
}

BOOST_AUTO_TEST_CASE(misuse) {
  for (auto const& e : of_two([](test::thread_process& all) {
         machine m{all};
         float* const at = m.with(std::vector<float>(32));
         m.main.fill_zero(m.main.allocate(4), 4);
         m.peers.scatter(static_cast<float const*>(at), at, 16, 16);
       }))
    check_error(e, "the exchange does not wait for the work of process");
  for (auto const& e : of_two([](test::thread_process& all) {
         machine m{all};
         float* const at = m.with(std::vector<float>(32));
         m.peers.scatter(static_cast<float const*>(at), at, 16, 33);
       }))
    check_error(e, "simulated_peers::scatter: 132 bytes at");
  for (auto const& e : of_two([](test::thread_process& all) {
         machine m{all};
         float* const at = m.with(std::vector<float>(32));
         m.peers.gather(at, 8, at, 16);
       }))
    check_error(e, "simulated_peers::gather: slots of 32 bytes, which are not lines of 64 bytes");
  for (auto const& e : of_two([](test::thread_process& all) {
         machine m{all};
         float *const at = m.with(std::vector<float>(32)), *const to = m.with(std::vector<float>(32));
         m.peers.gather(at, 16, to, 32);
         m.main.copy(m.main.allocate(128), to, 128);
       }))
    check_error(e, "which an exchange on another stream writes; wait for the exchange first");
  for (auto const& e : of_two([](test::thread_process& all) {
         machine m{all};
         float *const at = m.with(std::vector<float>(32)), *const to = m.with(std::vector<float>(32));
         m.peers.gather(at, 16, to, 32);
         m.main.wait_for(m.beside);
         m.main.copy(m.main.allocate(128), to, 128);
       }))
    BOOST_TEST(e == "");
}

BOOST_AUTO_TEST_CASE(a_process_that_does_not_take_part) {
  auto const errors = of_two([](test::thread_process& all) {
    machine m{all};
    m.peers.set_step(7);
    float* const at = m.with(std::vector<float>(32));
    if (all.rank() == 1) return;
    try {
      m.peers.scatter(static_cast<float const*>(at), at, 16, 32);
    } catch (esp::distributed_error const&) {
      expect(m.peers.has_failed(), "peers that say so");
      throw;
    }
  });
  BOOST_TEST(
      errors[0] ==
      "process 0 of 2: another process has not answered for the time limit of 300 ms at step 7 (set_time_limit)");
  BOOST_TEST(errors[1] == "");
}

BOOST_AUTO_TEST_CASE(what_process_0_says) {
  struct words {
    int at[40];
  };
  auto const errors = test::as_processes(3, [](test::thread_process& all) {
    words w{};
    for (int& x : w.at) x = all.rank() + 5;
    esp::on_device::from_first_process(all, w);
    for (int const x : w.at) expect(x == 5, "the numbers of process 0");
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
}

// Which graphics processor a process uses.
BOOST_AUTO_TEST_CASE(numbers_of_devices) {
  auto const errors = test::as_processes(3, [](test::thread_process& all) {
    expect(on_cuda::detail::device_of(all, 4) == all.rank(), "that of the process's place on its computer");
    expect(on_cuda::detail::device_of(all, 1) == 0, "the only one that the process sees");
    if (all.rank() < 2) all.set_device(3);
    expect(on_cuda::detail::device_of(all, 4) == (all.rank() < 2 ? 3 : 2), "the one that was chosen");
    if (all.rank() != 1) (void)on_cuda::detail::device_of(all, 2);
    else (void)on_cuda::detail::device_of(all, 1);
  });
  for (std::size_t k = 0; k < 3; ++k)
    BOOST_TEST(errors[k] == "process " + std::to_string(k) + " of 3: graphics processor " + (k < 2 ? "3" : "2") +
                                " was expected on this computer, where the process sees " + (k == 1 ? "1" : "2") +
                                "; start fewer processes here, or choose with processes.set_device(number)");
}

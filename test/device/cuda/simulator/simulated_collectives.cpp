// SPDX-License-Identifier: BSL-1.0
// Exchanges among simulated devices: their results, and every missing wait is reported.
#define BOOST_TEST_MODULE device_cuda_simulator_simulated_collectives
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/collectives.hpp>
#include <espalier/device/cuda/simulator/simulated_collectives.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using espalier::bfloat16;
using espalier::half;
using espalier::on_cuda::cuda_error;
using espalier::on_cuda::simulated_backend;
using espalier::on_cuda::simulated_collectives;

static_assert(espalier::on_cuda::Collectives<simulated_collectives, simulated_backend>);

namespace {
auto has(char const* part) {
  return [=](cuda_error const& e) {
    std::string const text = e.what();
    BOOST_TEST((text.find(part) != std::string::npos), text);
    return text.find(part) != std::string::npos;
  };
}
template <class T, int Devices, int Count>
struct exchange {
  std::vector<std::unique_ptr<simulated_backend>> backends = make();
  simulated_backend* pointers[std::size_t{Devices}];
  std::unique_ptr<simulated_collectives> collectives;
  T* at[std::size_t{Devices}];
  std::vector<T> back = std::vector<T>(std::size_t{Count});

  static auto make() {
    std::vector<std::unique_ptr<simulated_backend>> r;
    for (int k = 0; k < Devices; ++k) r.push_back(std::make_unique<simulated_backend>(0, true, true, k));
    return r;
  }
  static T number(int k, int i) { return static_cast<T>(static_cast<float>(10 * k + i)); }
  exchange() {
    for (int k = 0; k < Devices; ++k) {
      pointers[k] = backends[static_cast<std::size_t>(k)].get();
      at[k] = static_cast<T*>(pointers[k]->allocate(std::size_t{Count} * sizeof(T)));
    }
    collectives = std::make_unique<simulated_collectives>(pointers, Devices);
    fill();
  }
  void fill() {
    for (int k = 0; k < Devices; ++k) {
      T host[std::size_t{Count}];
      for (int i = 0; i < Count; ++i) host[i] = number(k, i);
      pointers[k]->to_device(at[k], host, sizeof host);
    }
  }
  void after_all() {
    for (int k = 0; k < Devices; ++k) collectives->after(k);
  }
  void before_all() {
    for (int k = 0; k < Devices; ++k) collectives->before(k);
  }
  void average(int first = 0, int count = Count) {
    collectives->begin();
    for (int k = 0; k < Devices; ++k) collectives->average(k, at[k] + first, count);
    collectives->end();
  }
  void broadcast() {
    collectives->begin();
    for (int k = 0; k < Devices; ++k) collectives->broadcast(k, at[k], std::int64_t{Count});
    collectives->end();
  }
  std::vector<T> const& fetch(int k) {
    pointers[k]->to_host(back.data(), at[k], std::size_t{Count} * sizeof(T));
    return back;
  }
  void check_mean() {
    for (int k = 0; k < Devices; ++k) {
      fetch(k);
      for (int i = 0; i < Count; ++i)
        BOOST_TEST(
            std::abs(static_cast<float>(back[static_cast<std::size_t>(i)]) -
                     (5.0f * static_cast<float>(Devices - 1) + static_cast<float>(i))) < 1e-2f,
            "device " << k << ", element " << i << ": " << static_cast<float>(back[static_cast<std::size_t>(i)]));
    }
  }
};
using two = exchange<float, 2, 5>;
template <class T, int Devices>
void check_average() {
  exchange<T, Devices, 5> e;
  for (int repeated = 0; repeated < 2; ++repeated) {
    e.fill();
    e.after_all();
    e.average();
    e.before_all();
    e.check_mean();
  }
  BOOST_TEST(e.collectives->exchanges() == 2);
  BOOST_TEST(e.collectives->averaged() == 10);
}
}  // namespace

BOOST_AUTO_TEST_CASE(an_average_is_the_mean_on_every_device) {
  check_average<float, 1>();
  check_average<float, 2>();
  check_average<float, 3>();
  check_average<double, 2>();
  check_average<half, 2>();
  check_average<bfloat16, 2>();
}
BOOST_FIXTURE_TEST_CASE(an_infinity_of_one_device_is_in_the_mean_of_all, two) {
  float const infinite = HUGE_VALF;
  pointers[1]->to_device(at[1] + 2, &infinite, sizeof infinite);
  after_all();
  average();
  before_all();
  for (int k = 0; k < 2; ++k) {
    BOOST_TEST(std::isinf(fetch(k)[2]));
    BOOST_TEST(back[1] == 6);
  }
}
BOOST_FIXTURE_TEST_CASE(a_broadcast_gives_all_the_elements_of_device_0, two) {
  after_all();
  broadcast();
  before_all();
  for (int k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < 5; ++i) BOOST_TEST(fetch(k)[i] == static_cast<float>(i));
}
BOOST_FIXTURE_TEST_CASE(exchanges_of_a_device_are_in_order, two) {
  after_all();
  average();
  broadcast();
  average(1, 3);
  before_all();
  check_mean();
}
BOOST_FIXTURE_TEST_CASE(results_are_there_when_a_backend_waits_for_them, two) {
  after_all();
  average();
  BOOST_TEST(std::isnan(at[1][0]));
  collectives->before(0);
  BOOST_TEST(at[0][0] == 5);
  BOOST_TEST(std::isnan(at[1][0]));
  collectives->before(1);
  BOOST_TEST(at[1][0] == 5);
}
BOOST_FIXTURE_TEST_CASE(work_that_does_not_wait_for_an_exchange_is_reported, two) {
  after_all();
  average(2, 2);
  collectives->before(0);
  fetch(0);
  BOOST_CHECK_EXCEPTION(fetch(1), cuda_error, has("which an exchange on another stream writes; wait for the exchange"));
  pointers[1]->fill_zero(at[1], 8);  // the elements beside it are free
  BOOST_CHECK_EXCEPTION(pointers[1]->fill_zero(at[1], 9), cuda_error, has("wait for the exchange first"));
  collectives->before(1);
  fetch(1);
}
BOOST_FIXTURE_TEST_CASE(an_exchange_that_does_not_wait_for_work_is_reported, two) {
  collectives->after(0);
  BOOST_CHECK_EXCEPTION(average(), cuda_error, has("device 1 does not wait for its own work"));
  collectives->after(1);
  average();
  before_all();
  fetch(0);  // later work, which after() did not precede
  BOOST_CHECK_EXCEPTION(average(), cuda_error, has("device 0 does not wait for its own work"));
}
BOOST_FIXTURE_TEST_CASE(devices_that_make_other_calls_are_reported, two) {
  after_all();
  collectives->begin();
  collectives->average(0, at[0], 5);
  collectives->average(1, at[1], 4);
  BOOST_CHECK_EXCEPTION(collectives->end(), cuda_error,
                        has("device 1 calls average of 4 float, and device 0 average of 5 float"));
  collectives->begin();
  collectives->average(0, at[0], 5);
  BOOST_CHECK_EXCEPTION(collectives->end(), cuda_error, has("device 1 makes fewer calls than device 0"));
  collectives->begin();
  collectives->average(0, at[0], 4);
  collectives->broadcast(1, at[1], 4);
  BOOST_CHECK_EXCEPTION(collectives->end(), cuda_error, has("device 1 calls broadcast of 4 float"));
  collectives->begin();
  collectives->average(0, at[0], 4);
  collectives->average(1, reinterpret_cast<bfloat16*>(at[1]), 4);
  BOOST_CHECK_EXCEPTION(collectives->end(), cuda_error, has("device 1 calls average of 4 bfloat16"));
  BOOST_CHECK_EXCEPTION(collectives->average(1, at[1], 4), cuda_error, has("outside of begin() and end()"));
  collectives->begin();
  BOOST_CHECK_EXCEPTION(collectives->begin(), cuda_error, has("an exchange is open"));
  collectives->average(0, at[0], 5);
  collectives->average(1, at[1], 5);
  collectives->end();  // what failed before has left nothing behind
  before_all();
  check_mean();
}
BOOST_FIXTURE_TEST_CASE(memory_of_another_device_is_reported, two) {
  after_all();
  collectives->begin();
  collectives->average(0, at[0], 5);
  collectives->average(1, at[0], 5);
  BOOST_CHECK_EXCEPTION(collectives->end(), cuda_error, has("not as much memory of device 1"));
  collectives->begin();
  collectives->average(0, at[0] + 1, 5);
  collectives->average(1, at[1] + 1, 5);
  BOOST_CHECK_EXCEPTION(collectives->end(), cuda_error, has("not as much memory of device 0"));
  BOOST_CHECK_EXCEPTION(pointers[1]->fill_zero(at[0], 4), cuda_error, has("memory of device 0, not of device 1"));
}

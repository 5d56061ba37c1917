// SPDX-License-Identifier: BSL-1.0
// Copies beside a simulated device's work: what waits for them sees them, and what does not wait is reported.
#define BOOST_TEST_MODULE device_cuda_simulator_simulated_copy_stream
#include <boost/test/unit_test.hpp>

#include <espalier/device/cuda/simulator/simulated_backend.hpp>
#include <espalier/device/cuda/simulator/simulated_copy_stream.hpp>
#include <cmath>
#include <string>

using espalier::on_cuda::cuda_error;
using espalier::on_cuda::simulated_backend;
using espalier::on_cuda::simulated_copy_stream;

namespace {
auto has(char const* part) {
  return [=](cuda_error const& e) {
    std::string const text = e.what();
    BOOST_TEST((text.find(part) != std::string::npos), text);
    return text.find(part) != std::string::npos;
  };
}
struct fixture {
  simulated_backend backend;
  simulated_copy_stream copies{backend, 2};
  float host[4] = {1, 2, 3, 4}, back[4] = {};
  void* const at = backend.allocate(sizeof host);
  fixture() { copies.after_use(0, backend); }  // the allocation is work, too
  void send() { copies.send(0, at, host, sizeof host); }
  void fetch() { backend.to_host(back, at, sizeof back); }
};
}  // namespace

BOOST_FIXTURE_TEST_CASE(work_that_waits_sees_the_copy, fixture) {
  for (float first : {5.0f, 6.0f}) {
    copies.wait_until_sent(0);
    host[0] = first;
    send();
    BOOST_TEST(std::isnan(*static_cast<float*>(at)));  // not copied before anything waits
    copies.before_use(0, backend);
    fetch();
    BOOST_TEST(back[0] == first);
    BOOST_TEST(back[3] == 4);
    copies.after_use(0, backend);
  }
}
BOOST_FIXTURE_TEST_CASE(work_that_does_not_wait_is_reported, fixture) {
  send();
  BOOST_CHECK_EXCEPTION(fetch(), cuda_error, has("which a copy on another stream writes; wait for the copy first"));
  BOOST_CHECK_EXCEPTION(backend.fill_zero(at, 4), cuda_error, has("simulated_backend::fill_zero: 4 bytes"));
}
BOOST_FIXTURE_TEST_CASE(a_copy_waits_for_what_used_the_memory, fixture) {
  send();
  copies.before_use(0, backend);
  fetch();
  copies.wait_until_sent(0);
  BOOST_CHECK_EXCEPTION(send(), cuda_error, has("which another stream uses; the copy must wait for its event"));
}
BOOST_FIXTURE_TEST_CASE(an_event_before_the_use_is_too_early, fixture) {
  send();
  copies.before_use(0, backend);
  copies.after_use(0, backend);
  fetch();
  copies.wait_until_sent(0);
  BOOST_CHECK_EXCEPTION(send(), cuda_error, has("which another stream uses"));
}
BOOST_FIXTURE_TEST_CASE(a_second_backend_is_ordered_by_its_waits, fixture) {
  simulated_backend other;
  send();
  copies.before_use(0, backend);
  BOOST_CHECK_EXCEPTION(other.to_host(back, at, 4), cuda_error, has("wait for the copy first"));
  other.wait_for(backend);
  other.to_host(back, at, 4);
  BOOST_TEST(back[0] == 1);
  copies.after_use(0, backend);  // the other backend's use is not behind this event
  copies.wait_until_sent(0);
  BOOST_CHECK_EXCEPTION(send(), cuda_error, has("which another stream uses"));
}
BOOST_FIXTURE_TEST_CASE(a_second_backend_that_the_first_waits_for, fixture) {
  simulated_backend other;
  send();
  copies.before_use(0, backend);
  other.wait_for(backend);
  other.to_host(back, at, 4);
  backend.wait_for(other);
  copies.after_use(0, backend);
  copies.wait_until_sent(0);
  host[0] = 7;
  send();
  copies.before_use(0, backend);
  fetch();
  BOOST_TEST(back[0] == 7);
}
BOOST_FIXTURE_TEST_CASE(the_host_waits_before_it_fills_a_slot_again, fixture) {
  send();
  copies.before_use(0, backend);
  copies.after_use(0, backend);
  BOOST_CHECK_EXCEPTION(send(), cuda_error, has("slot 0, whose last copy may not be done"));
}
BOOST_FIXTURE_TEST_CASE(memory_that_nothing_waited_for, fixture) {
  void* const fresh = backend.allocate(16);  // behind the event of slot 1
  BOOST_CHECK_EXCEPTION(copies.send(1, fresh, host, 16), cuda_error, has("which another stream uses"));
}
BOOST_FIXTURE_TEST_CASE(addresses_on_the_wrong_side, fixture) {
  BOOST_CHECK_EXCEPTION(copies.send(0, host, host, 16), cuda_error, has("not as much memory of this device"));
  BOOST_CHECK_EXCEPTION(copies.send(0, at, host, 17), cuda_error, has("17 bytes"));
  BOOST_CHECK_EXCEPTION(copies.send(0, at, at, 16), cuda_error, has("memory of the device, not of the host"));
}

// SPDX-License-Identifier: BSL-1.0
// Mirrored memory of several simulated devices, and the errors of one of them.
#define BOOST_TEST_MODULE device_cuda_device_group
#include <boost/test/unit_test.hpp>

#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>
#include <string>
#include <vector>

namespace esp = espalier;
using esp::cuda_error;
using group = esp::on_cuda::device_group<esp::simulated_cuda_parallel<3>>;

namespace {
auto has(char const* part) {
  return [=](cuda_error const& e) {
    std::string const text = e.what();
    BOOST_TEST((text.find(part) != std::string::npos), text);
    return text.find(part) != std::string::npos;
  };
}
std::vector<float> on_device(group& g, int k, float const* at, std::size_t count) {
  std::vector<float> r(count);
  g.backend(k).to_host(r.data(), g.address(k, at), count * sizeof(float));
  return r;
}
}  // namespace

BOOST_AUTO_TEST_CASE(an_address_stands_for_the_same_place_on_each_device) {
  group g;
  auto* const a = static_cast<float*>(g.allocate(16));
  auto* const b = static_cast<float*>(g.allocate(32));
  float const numbers[] = {1, 2, 3, 4};
  g.to_device(a, numbers, 16);
  g.copy(b + 2, a + 1, 12);
  for (int k = 0; k < 3; ++k) {
    BOOST_TEST(on_device(g, k, a, 4) == std::vector<float>({1, 2, 3, 4}), boost::test_tools::per_element());
    BOOST_TEST(on_device(g, k, b, 6) == std::vector<float>({0, 0, 2, 3, 4, 0}), boost::test_tools::per_element());
    BOOST_TEST((k == 0) == (g.address(k, a) == a));
    BOOST_TEST(g.address(k, b + 8) == g.address(k, b) + 8);  // the end
    BOOST_TEST(g.address(k, static_cast<float*>(nullptr)) == nullptr);
  }
  float read[2];
  g.to_host(read, b + 3, 8);
  BOOST_TEST((read[0] == 3 && read[1] == 4));
  g.release(a, 16);
  BOOST_CHECK_EXCEPTION((void)g.address(1, a), cuda_error, has("is not memory of the devices of this group"));
  float host = 0;
  BOOST_CHECK_EXCEPTION(g.copy(b, &host, 4), cuda_error, has("on device 0 of 3"));
  g.synchronize();
}
BOOST_AUTO_TEST_CASE(memory_is_released_on_each_device) {
  group g;
  void* const a = g.allocate(100);
  void* const b = g.allocate(50);
  for (int k = 0; k < 3; ++k) BOOST_TEST(g.backend(k).allocated_bytes() == 150u);
  g.release(a, 100);
  g.release(nullptr, 0);
  for (int k = 0; k < 3; ++k) BOOST_TEST(g.backend(k).allocated_bytes() == 50u);
  BOOST_CHECK_EXCEPTION(g.allocate(~std::size_t{0} / 2), cuda_error, has("; on device 0 of 3"));
  for (int k = 0; k < 3; ++k) BOOST_TEST(g.backend(k).allocated_bytes() == 50u);
  g.release(b, 50);
}
BOOST_AUTO_TEST_CASE(an_error_names_the_device) {
  group g;
  void* const a = g.allocate(16);
  float host[8]{};
  BOOST_CHECK_EXCEPTION(g.to_device(a, host, 32), cuda_error, has("; on device 0 of 3"));
  BOOST_CHECK_EXCEPTION(
      g.on_each([&](int k, auto& backend) { backend.to_device(g.address(k, a), host, k < 2 ? 16 : 32); }), cuda_error,
      has("they extend past its end; on device 2 of 3"));
  // Memory of one device is not used by another one.
  BOOST_CHECK_EXCEPTION(g.on_all([&](auto const& use) { use(1).to_device(a, host, 16); }), cuda_error,
                        has("which is memory of device 0, not of device 1; on device 1 of 3"));
}
BOOST_AUTO_TEST_CASE(a_group_of_its_own_runs_a_model) {
  using Net = esp::nn::Sequential<esp::nn::Linear<4, 3>>;
  group g;
  esp::model<Net, esp::simulated_cuda_parallel<3>> model{esp::seed{1}, g};
  esp::model<Net> host{esp::seed{1}};
  for (int k = 0; k < 3; ++k) BOOST_TEST(g.backend(k).allocated_bytes() == decltype(model)::bytes);
  esp::tensor<float, esp::shape<2, 4>> x;
  x.fill(0.5f);
  auto const y = model(x), expected = host(x);
  for (int i = 0; i < 6; ++i) BOOST_TEST(std::abs(y[i] - expected[i]) < 1e-5f);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_library_nccl_collectives
#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

/// What NCCL is asked for and the texts of its errors hold with no graphics processor. Exchanges run where there is
/// one: among all devices of the machine.
#include <espalier/device/cuda/collectives.hpp>
#include <espalier/device/cuda/library/cuda_device_scope.hpp>
#if defined(ESPALIER_NCCL)
#include <espalier/device/cuda/library/nccl_collectives.hpp>
#include <memory>
#endif

namespace on_cuda = espalier::on_cuda;

namespace {
int device_count() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}
boost::test_tools::assertion_result device(boost::unit_test::test_unit_id) { return device_count() > 0; }
boost::test_tools::assertion_result no_device(boost::unit_test::test_unit_id) { return device_count() == 0; }
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (on_cuda::cuda_error const& e) {
    return e.what();
  }
  return "nothing";
}
}  // namespace

BOOST_AUTO_TEST_CASE(a_scope_without_a_device_names_its_call, *boost::unit_test::precondition(no_device)) {
  std::string const text = error_of([] { on_cuda::cuda_device_scope const current; });
  BOOST_TEST((text.find("cudaGetDevice: ") == 0), text);
}
BOOST_AUTO_TEST_CASE(a_scope_restores_the_current_device, *boost::unit_test::precondition(device)) {
  int before = 0, after = 0;
  BOOST_TEST(cudaGetDevice(&before) == cudaSuccess);
  {
    on_cuda::cuda_device_scope const current;
    current.use(device_count() - 1);
    BOOST_TEST((error_of([&] { current.use(device_count()); }).find("cudaSetDevice: ") == 0));
  }
  BOOST_TEST(cudaGetDevice(&after) == cudaSuccess);
  BOOST_TEST(after == before);
}

#if defined(ESPALIER_NCCL)
using on_cuda::cuda_backend, on_cuda::nccl_collectives;

static_assert(on_cuda::Collectives<nccl_collectives, cuda_backend>);
static_assert(on_cuda::detail::nccl_type<float> == ncclFloat32 && on_cuda::detail::nccl_type<double> == ncclFloat64);
static_assert(on_cuda::detail::nccl_type<espalier::half> == ncclFloat16 &&
              on_cuda::detail::nccl_type<espalier::bfloat16> == ncclBfloat16);

BOOST_AUTO_TEST_CASE(an_error_names_the_call_and_its_purpose) {
  std::string const text =
      error_of([] { on_cuda::detail::check(ncclInvalidArgument, "ncclAllReduce", "%d elements of device %d", 12, 1); });
  BOOST_TEST((text.find("ncclAllReduce: invalid argument") == 0), text);
  BOOST_TEST((text.find("12 elements of device 1") != std::string::npos), text);
  on_cuda::detail::check(ncclSuccess, "ncclAllReduce");
}
BOOST_AUTO_TEST_CASE(no_device_is_an_error, *boost::unit_test::precondition(no_device)) {
  std::string const text = error_of([] { nccl_collectives const c{nullptr, 0}; });
  BOOST_TEST((text.find("cudaGetDevice: ") == 0), text);
}
BOOST_AUTO_TEST_CASE(exchanges_among_all_devices, *boost::unit_test::precondition(device)) {
  int const devices = device_count();
  std::vector<std::unique_ptr<cuda_backend>> backends;
  std::vector<cuda_backend*> pointers;
  on_cuda::cuda_device_scope const current;
  for (int k = 0; k < devices; ++k) {
    current.use(k);
    backends.push_back(std::make_unique<cuda_backend>());
    pointers.push_back(backends.back().get());
  }
  constexpr std::size_t count = 1000;
  std::vector<float*> at;
  for (int k = 0; k < devices; ++k) {
    current.use(k);
    at.push_back(static_cast<float*>(pointers[static_cast<std::size_t>(k)]->allocate(count * sizeof(float))));
  }
  {
    nccl_collectives c{pointers.data(), devices};
    for (bool mean : {true, false}) {
      for (int k = 0; k < devices; ++k) {
        std::vector<float> const own(count, static_cast<float>(k + 1));
        current.use(k);
        pointers[static_cast<std::size_t>(k)]->to_device(at[static_cast<std::size_t>(k)], own.data(), count * 4);
        c.after(k);
      }
      c.begin();
      for (int k = 0; k < devices; ++k)
        if (mean) c.average(k, at[static_cast<std::size_t>(k)], std::int64_t{count});
        else c.broadcast(k, at[static_cast<std::size_t>(k)], std::int64_t{count});
      c.end();
      for (int k = 0; k < devices; ++k) {
        std::vector<float> got(count);
        c.before(k);
        current.use(k);
        pointers[static_cast<std::size_t>(k)]->to_host(got.data(), at[static_cast<std::size_t>(k)], count * 4);
        float const expected = mean ? 0.5f * static_cast<float>(devices + 1) : 1.0f;
        for (float const x : got) BOOST_REQUIRE(std::abs(x - expected) < 1e-5f);
      }
    }
  }
  for (int k = 0; k < devices; ++k) {
    current.use(k);
    pointers[static_cast<std::size_t>(k)]->release(at[static_cast<std::size_t>(k)], count * sizeof(float));
  }
}
#endif

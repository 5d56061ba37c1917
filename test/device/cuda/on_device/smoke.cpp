// SPDX-License-Identifier: BSL-1.0
// The way from a program to a device: the host's compiler asks for kernels, nvcc makes them, the linker joins both, the
// device runs them.
#define BOOST_TEST_MODULE cuda_smoke
#include <boost/test/unit_test.hpp>
#include <espalier/device/cuda/library/device_function.hpp>
#include <vector>

#include "device.hpp"
#include "doubled.hpp"

namespace {

template <class T, int Count>
std::vector<T> doubled_on_the_device(std::vector<T> x) {
  using kernel = test::doubled<T, Count>;
  void *from = nullptr, *to = nullptr;
  std::size_t const bytes = sizeof(T) * Count;
  BOOST_TEST_REQUIRE(cudaMalloc(&from, bytes) == cudaSuccess);
  BOOST_TEST_REQUIRE(cudaMalloc(&to, bytes) == cudaSuccess);
  BOOST_TEST_REQUIRE(cudaMemcpy(from, x.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
  typename kernel::table table{{from, to}, {}};
  void* arguments[] = {&table};
  BOOST_TEST_REQUIRE(cudaLaunchKernel(espalier::on_cuda::device_function<kernel>::address(),
                                      dim3(static_cast<unsigned>(kernel::blocks)), dim3(kernel::threads), arguments, 0,
                                      nullptr) == cudaSuccess);
  BOOST_TEST_REQUIRE(cudaMemcpy(x.data(), to, bytes, cudaMemcpyDeviceToHost) == cudaSuccess);
  cudaFree(from);
  cudaFree(to);
  return x;
}

template <class T>
void check() {
  constexpr int count = 100'000;
  std::vector<T> x(count);
  for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = static_cast<T>(i) / 8;
  std::vector<T> const y = doubled_on_the_device<T, count>(x);
  for (std::size_t i = 0; i < x.size(); ++i) BOOST_TEST_REQUIRE(y[i] == 2 * x[i]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(single_precision) { check<float>(); }
BOOST_AUTO_TEST_CASE(double_precision) { check<double>(); }

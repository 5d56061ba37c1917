// SPDX-License-Identifier: BSL-1.0
// Axes exchanged, repeated and reduced, against loops over indices and the CPU's kernels.
#define BOOST_TEST_MODULE device_cuda_kernel_strided
#include <boost/test/unit_test.hpp>

#include <espalier/device/cpu/kernel/strided_reduction.hpp>
#include <espalier/device/cuda/kernel/strided_reduction.hpp>
#include <espalier/device/cuda/kernel/strided.hpp>
#include <espalier/operation/max.hpp>
#include <espalier/operation/sum.hpp>

#include <cmath>

#include "launched.hpp"

using namespace launched;
using espalier::shape;

namespace {

/// Where each element of a shape lies at strides.
std::vector<int64_t> offsets(extents const& s, espalier::on_device::detail::strides const& stride) {
  std::vector<int64_t> at(static_cast<size_t>(s.size()));
  for (int64_t i = 0; i < s.size(); ++i) {
    int64_t rest = i;
    for (int axis = s.rank - 1; axis >= 0; --axis) {
      at[static_cast<size_t>(i)] += rest % s.at[axis] * stride.at[axis];
      rest /= s.at[axis];
    }
  }
  return at;
}

/// Parts of the CPU's kernel, each of which knows where it begins, are the whole kernel.
template <class Kernel, class T>
std::vector<T> in_parts(std::vector<T> const& x, int64_t size) {
  std::vector<T> y(static_cast<size_t>(size));
  for (int i = 0; i < Kernel::parts; ++i) Kernel::part(x.data(), nullptr, y.data(), nullptr, i);
  return y;
}
template <class T, class Strided, class Kernel, class OnProcessor>
void strided(int64_t size, char const* name) {
  auto const x = random_numbers<T>(size, 1);
  std::vector<T> expected;
  for (int64_t at : offsets(Strided::result, Strided::stride)) expected.push_back(x[static_cast<size_t>(at)]);
  BOOST_TEST(same(result<Kernel, T>(Strided::result.size(), x), expected), name << ", " << sizeof(T) << " bytes");
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> y(expected.size());
    OnProcessor::run(x.data(), nullptr, y.data());
    BOOST_TEST(same(y, expected), name << ", " << sizeof(T) << " bytes, by the CPU");
    BOOST_TEST(same(in_parts<OnProcessor>(x, Strided::result.size()), expected), name << ", by parts of the CPU");
  }
}
constexpr std::uint64_t order(int a, int b, int c = 2, int d = 3) {
  return static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b) << 4 | static_cast<std::uint64_t>(c) << 8 |
         static_cast<std::uint64_t>(d) << 12;
}

template <class From, std::uint64_t Permutation, class T>
void permuted(char const* name) {
  strided<T, espalier::on_device::detail::permuted<From, Permutation>, on_cuda::permute_kernel<T, From, Permutation>,
          espalier::on_cpu::permute_kernel<T, From, Permutation, espalier::on_cpu::default_arch>>(From::size, name);
}
template <class From, std::uint64_t Permutation>
void permuted_all(char const* name) {
  permuted<From, Permutation, float>(name);
  permuted<From, Permutation, double>(name);
  permuted<From, Permutation, half>(name);
}
template <class From, class To, class T>
void broadcasted(char const* name) {
  strided<T, espalier::on_device::detail::broadcasted<From, To>, on_cuda::strided_broadcast_kernel<T, From, To>,
          espalier::on_cpu::strided_broadcast_kernel<T, From, To, espalier::on_cpu::default_arch>>(From::size, name);
}
template <class From, class To>
void broadcast_all(char const* name) {
  broadcasted<From, To, float>(name);
  broadcasted<From, To, double>(name);
  broadcasted<From, To, espalier::bfloat16>(name);
}

template <class T, class Op, class From, class To>
void reduced(char const* name) {
  auto const x = random_numbers<T>(From::size, 1);
  auto const to = offsets(From::value, espalier::on_device::detail::broadcast_strides(To::value, From::value));
  std::vector<double> sum(static_cast<size_t>(To::size), espalier::rule<Op>::identity), magnitude(sum.size());
  for (size_t i = 0; i < x.size(); ++i) {
    auto const at = static_cast<size_t>(to[i]);
    sum[at] = espalier::rule<Op>::combine(sum[at], static_cast<double>(x[i]));
    magnitude[at] += std::fabs(static_cast<double>(x[i]));
  }
  using kernel = on_cuda::strided_reduction_kernel<T, Op, From, To>;
  double const error = off(result<kernel, T>(To::size, x), sum, magnitude);
  BOOST_TEST(error <= 4, name << ", " << sizeof(T) << " bytes, error " << error);
  if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> y(sum.size());
    using processor = espalier::on_cpu::strided_reduction_kernel<T, Op, From, To, espalier::on_cpu::default_arch>;
    processor::run(x.data(), nullptr, y.data());
    std::vector<double> const on_processor(y.begin(), y.end());
    double const difference = off(result<kernel, T>(To::size, x), on_processor, magnitude);
    BOOST_TEST(difference <= 64, name << ", " << sizeof(T) << " bytes, from the CPU's " << difference);
    BOOST_TEST(same(in_parts<processor>(x, To::size), y), name << ", by parts of the CPU");
  }
}
template <class From, class To>
void reduced_all(char const* name) {
  reduced<float, espalier::sum_, From, To>(name);
  reduced<double, espalier::max_, From, To>(name);
  reduced<half, espalier::sum_, From, To>(name);
}

}  // namespace

BOOST_AUTO_TEST_CASE(permutations) {
  permuted_all<shape<64, 96>, order(1, 0)>("whole squares");
  permuted_all<shape<33, 47>, order(1, 0)>("odd squares");
  permuted_all<shape<16, 100>, order(1, 0)>("half a square");
  permuted<shape<150, 66>, order(1, 0), half>("pairs");
  permuted<shape<4, 66, 130>, order(0, 2, 1), half>("a batch of pairs");
  permuted<shape<66, 5, 130>, order(2, 1, 0), half>("pairs with an odd axis between");
  permuted_all<shape<5, 100>, order(1, 0)>("too narrow for squares");
  permuted_all<shape<3, 40, 35>, order(0, 2, 1)>("a batch of squares");
  permuted_all<shape<40, 3, 35>, order(2, 1, 0)>("with an axis between");
  permuted_all<shape<3, 5, 8>, order(1, 0, 2)>("rows in line");
  permuted_all<shape<3, 5, 7>, order(1, 0, 2)>("odd rows");
  permuted_all<shape<2, 3, 4, 5>, order(3, 1, 0, 2)>("four axes");
  permuted_all<shape<2, 17, 3, 20>, order(0, 3, 1, 2)>("channels first");
  permuted_all<shape<2, 20, 17, 3>, order(0, 3, 1, 2)>("few channels first");
  permuted_all<shape<2, 18, 20, 36>, order(2, 3, 0, 1)>("two and two");
  permuted_all<shape<1, 6, 1, 4>, order(2, 1, 0, 3)>("nothing moves");
}

BOOST_AUTO_TEST_CASE(several_accesses_at_once) {
  permuted<shape<520, 8, 256>, order(1, 0, 2), float>("four, all blocks full");
  permuted<shape<521, 8, 256>, order(1, 0, 2), float>("four, half a block at the end");
  permuted<shape<1042, 8, 256>, order(1, 0, 2), half>("four of 16 bits");
  permuted<shape<131, 8, 256>, order(1, 0, 2), float>("two");
}

BOOST_AUTO_TEST_CASE(repetitions) {
  broadcast_all<shape<4, 1, 8>, shape<4, 5, 8>>("rows in line");
  broadcast_all<shape<4, 1, 6>, shape<4, 5, 6>>("even rows");
  broadcast_all<shape<3, 1, 7>, shape<3, 5, 7>>("odd rows");
  broadcast_all<shape<2, 1, 3, 1, 5>, shape<2, 4, 3, 2, 5>>("two axes");
  broadcast_all<shape<66, 1, 50, 1, 20>, shape<66, 2, 50, 2, 20>>("pixels of windows, in parts");
  broadcast_all<shape<3, 5, 1>, shape<3, 5, 16>>("the last axis");
  broadcast_all<shape<3, 1, 1>, shape<3, 5, 3>>("the last axes, odd");
  broadcast_all<shape<6>, shape<5, 6>>("another axis");
  broadcast_all<shape<1>, shape<3, 3>>("a number");
}

BOOST_AUTO_TEST_CASE(reductions) {
  reduced_all<shape<3, 6, 8>, shape<3, 1, 8>>("few terms");
  reduced_all<shape<3, 7, 5>, shape<3, 1, 5>>("odd rows");
  reduced_all<shape<3, 100, 24>, shape<3, 1, 24>>("a hundred terms");
  reduced_all<shape<2, 33, 70>, shape<2, 1, 70>>("odd columns of 33");
  reduced_all<shape<2, 3, 5, 4, 6>, shape<2, 1, 5, 1, 6>>("two axes");
  reduced_all<shape<40, 12, 4>, shape<1, 12, 4>>("the first axis");
  reduced_all<shape<40, 12>, shape<12>>("the first axis goes");
  reduced_all<shape<5, 70>, shape<5, 1>>("the last axis");
  reduced_all<shape<5, 3, 64>, shape<1, 3, 1>>("around the middle");
  reduced_all<shape<2, 3, 4500>, shape<2, 1, 1>>("long ones, by a block");
  reduced_all<shape<3, 5>, shape<1, 1>>("all");
  reduced_all<shape<3, 5>, shape<3, 5>>("none");
  reduced_all<shape<66, 2, 50, 2, 20>, shape<66, 1, 50, 1, 20>>("pixels of windows, in parts");
  reduced<half, espalier::max_, shape<3, 40, 8>, shape<3, 1, 8>>("largest");
}

BOOST_AUTO_TEST_CASE(sums_are_made_in_floats) {
  // 4,096 times 1 + 2^-7 in bfloat16, whose next number after 256 is 258.
  std::vector<espalier::bfloat16> const x(4096 * 2, espalier::bfloat16(0x1.02p0f));
  using kernel = on_cuda::strided_reduction_kernel<espalier::bfloat16, espalier::sum_, shape<4096, 2>, shape<1, 2>>;
  BOOST_TEST((result<kernel, espalier::bfloat16>(2, x)[1] == 4128.0f));
}

// A chain of 30,000 equal terms would be wrong by 1e-4: a thread adds many terms in blocks.
BOOST_AUTO_TEST_CASE(long_sums_keep_their_digits) {
  auto const check = [](std::vector<float> const& sums, double terms) {
    for (float const sum : sums)
      BOOST_TEST(std::fabs(static_cast<double>(sum) / (terms * static_cast<double>(0.1f)) - 1) <
                 4e-7 * (1 + std::log2(terms / 4096)));
  };
  std::vector<float> const x(300'000 * 8, 0.1f);
  using middle = on_cuda::strided_reduction_kernel<float, espalier::sum_, shape<2, 30'000, 8>, shape<2, 1, 8>>;
  static_assert(on_cuda::thread_sums<espalier::sum_, float, 4, 30'000 / middle::shares>::in_blocks);
  check(result<middle, float>(2 * 8, x), 30'000);
  using first = on_cuda::strided_reduction_kernel<float, espalier::sum_, shape<300'000, 8>, shape<1, 8>>;
  check(result<first, float>(8, x), 300'000);
  using last = on_cuda::strided_reduction_kernel<float, espalier::sum_, shape<8, 300'000>, shape<8, 1>>;
  check(result<last, float>(8, x), 300'000);
}

BOOST_AUTO_TEST_CASE(how_they_are_launched) {
  using rows = on_cuda::permute_kernel<float, shape<64, 32, 512>, order(1, 0, 2)>;
  static_assert(rows::load_access == 16 && rows::store_access == 16 &&
                rows::blocks * rows::threads * rows::accesses_per_thread * 4 == 64 * 32 * 512);
  using turned = on_cuda::permute_kernel<float, shape<100, 1000>, order(1, 0)>;
  static_assert(turned::blocks == 4 * 32);
  using columns = on_cuda::strided_reduction_kernel<half, espalier::sum_, shape<64, 100, 512>, shape<64, 1, 512>>;
  static_assert(columns::width == 8 && columns::load_access == 16 && columns::shares == 8);
  BOOST_TEST(turned::threads == 256);
}

// SPDX-License-Identifier: BSL-1.0
// Axes exchanged and repeated, as whole registers, as squares that are transposed in registers and element by element.
#define BOOST_TEST_MODULE device_cpu_kernel_strided
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <espalier/device/cpu/kernel/strided.hpp>

namespace on_cpu = espalier::on_cpu;
using espalier::shape;
using std::int64_t;
using std::size_t;

namespace {

template <class T, class Strided, class Kernel>
void strided(int64_t size, char const* name) {
  std::vector<T> x(static_cast<size_t>(size)), expected;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
  constexpr espalier::extents to = Strided::result;
  for (int64_t i = 0; i < to.size(); ++i) {
    int64_t rest = i, at = 0;
    for (int axis = to.rank - 1; axis >= 0; rest /= to.at[axis--]) at += rest % to.at[axis] * Strided::stride.at[axis];
    expected.push_back(x[static_cast<size_t>(at)]);
  }
  // Behind the end are numbers that no kernel may write.
  std::vector<T> whole(expected.size() + 40, T(-1)), by_parts(expected.size(), T(-2));
  Kernel::run(x.data(), nullptr, whole.data());
  for (size_t i = expected.size(); i < whole.size(); ++i)
    BOOST_TEST(whole[i] == T(-1), name << ": written behind the end");
  whole.resize(expected.size());
  BOOST_TEST((whole == expected), name << ", " << sizeof(T) << " bytes");
  for (int i = 0; i < Kernel::parts; ++i) Kernel::part(x.data(), nullptr, by_parts.data(), nullptr, i);
  BOOST_TEST((by_parts == expected), name << ", by parts");
}
constexpr std::uint64_t order(int a, int b, int c = 2, int d = 3) {
  return static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b) << 4 | static_cast<std::uint64_t>(c) << 8 |
         static_cast<std::uint64_t>(d) << 12;
}
template <class From, std::uint64_t Permutation>
void permuted(char const* name) {
  using of = espalier::on_device::detail::permuted<From, Permutation>;
  strided<float, of, on_cpu::permute_kernel<float, From, Permutation, on_cpu::default_arch>>(From::size, name);
  strided<double, of, on_cpu::permute_kernel<double, From, Permutation, on_cpu::default_arch>>(From::size, name);
}
template <class From, class To>
void repeated(char const* name) {
  using of = espalier::on_device::detail::broadcasted<From, To>;
  strided<float, of, on_cpu::strided_broadcast_kernel<float, From, To, on_cpu::default_arch>>(From::size, name);
}

/// The first rows of a result alone, as a program for run-time sizes computes them. Fewer rows than a square has fit.
template <class From, std::uint64_t Permutation>
void first_rows(int count) {
  using kernel = on_cpu::permute_kernel<float, From, Permutation, on_cpu::default_arch>;
  constexpr espalier::extents to = espalier::on_device::detail::permuted<From, Permutation>::result;
  std::vector<float> x(static_cast<size_t>(From::size)), all(x.size()), some(x.size(), -1.f);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  kernel::run(x.data(), nullptr, all.data());
  kernel::some(x.data(), some.data(), count);
  auto const end = static_cast<size_t>(count * (to.size() / to.at[0]));
  for (size_t i = 0; i < all.size(); ++i)
    BOOST_TEST_REQUIRE(some[i] == (i < end ? all[i] : -1.f), count << " rows, element " << i);
}

}  // namespace

BOOST_AUTO_TEST_CASE(squares) {
  permuted<shape<64, 96>, order(1, 0)>("whole squares");
  permuted<shape<33, 47>, order(1, 0)>("squares that overlap");
  permuted<shape<16, 17>, order(1, 0)>("one square and a column");
  permuted<shape<15, 100>, order(1, 0)>("too narrow for registers of 16");
  permuted<shape<3, 40>, order(1, 0)>("too narrow");
  permuted<shape<3, 40, 35>, order(0, 2, 1)>("a batch");
  permuted<shape<40, 3, 35>, order(2, 1, 0)>("an axis between");
  permuted<shape<2, 18, 20, 36>, order(0, 3, 1, 2)>("channels first");
  permuted<shape<20, 3, 17, 33>, order(3, 1, 2, 0)>("ends exchanged");
  permuted<shape<2, 18, 20, 36>, order(2, 3, 0, 1)>("two and two");
}
BOOST_AUTO_TEST_CASE(many_elements) {
  permuted<shape<300, 1000>, order(1, 0)>("enough for parts");
  permuted<shape<9, 128, 256>, order(0, 2, 1)>("kernels of a convolution");
}
BOOST_AUTO_TEST_CASE(runs) {
  permuted<shape<5, 7, 20>, order(1, 0, 2)>("rows");
  permuted<shape<5, 7, 3>, order(1, 0, 2)>("short rows");
  repeated<shape<4, 1, 20>, shape<4, 6, 20>>("rows");
  repeated<shape<20, 1, 1>, shape<20, 6, 20>>("elements");
  repeated<shape<1, 20, 1>, shape<20, 20, 20>>("columns");
}
BOOST_AUTO_TEST_CASE(some_rows) {
  for (int const count : {1, 5, 15, 16, 17, 33, 40}) {
    first_rows<shape<48, 40>, order(1, 0)>(count);
    first_rows<shape<40, 20, 24>, order(0, 2, 1)>(count);
  }
}

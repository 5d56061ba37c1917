// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_simulator_simulated_backend
#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <espalier/device/cuda/tensor/device_block.hpp>
#include <espalier/device/cuda/simulator/simulated_backend.hpp>

#include "context_kernels.hpp"

using espalier::on_cuda::cuda_error;
using espalier::on_cuda::device_block;
using espalier::on_cuda::simulated_backend;
using espalier::on_cuda::kernel_table;
using namespace context_kernels;

namespace {

/// The error contains each of these.
template <class... Parts>
auto has_parts(Parts... parts) {
  return [=](cuda_error const& e) {
    std::string const text = e.what();
    bool const all = (... && (text.find(parts) != std::string::npos));
    BOOST_TEST(all, text);
    return all;
  };
}

template <class T>
std::vector<T> fetched(simulated_backend& m, void const* from, std::size_t count) {
  std::vector<T> x(count);
  m.to_host(x.data(), from, count * sizeof(T));
  return x;
}

BOOST_AUTO_TEST_CASE(memory) {
  simulated_backend m;
  for (std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{256}, std::size_t{1000}}) {
    auto* const at = static_cast<unsigned char*>(m.allocate(bytes));
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(at) % 256 == 0u);
    BOOST_TEST((fetched<unsigned char>(m, at, bytes) == std::vector<unsigned char>(bytes, 0)));
    BOOST_TEST(m.allocated_bytes() == bytes);
    m.release(at, bytes);
  }
  m.release(nullptr, 0);
  BOOST_TEST(m.allocations() == 4);
  BOOST_TEST(m.allocated_bytes() == 0u);
  // In any order, and some of it not at all: the machine gives it back.
  void* at[5];
  for (void*& a : at) a = m.allocate(100);
  for (int i : {2, 0, 4}) m.release(at[i], 100);
  BOOST_TEST(m.allocated_bytes() == 200u);
  BOOST_CHECK_EXCEPTION((void)m.allocate(~std::size_t{0}), cuda_error,
                        has_parts("allocate", "no memory for 18446744073709551615 bytes"));
// which stop the program there
#if !defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER) && !defined(ESPALIER_FIBERS_UNDER_THREAD_SANITIZER)
  BOOST_CHECK_EXCEPTION((void)m.allocate(std::size_t{1} << 60), cuda_error, has_parts("allocate", "no memory"));
#endif
}

BOOST_AUTO_TEST_CASE(copies) {
  simulated_backend m;
  device_block<simulated_backend> const a(m, 40), b(m, 40);
  std::vector<float> const x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  m.to_device(a.at<float>(0), x.data(), 40);
  m.copy(b.at<float>(8), a.at<float>(0), 20);
  BOOST_TEST((fetched<float>(m, b.at<float>(0), 10) == std::vector<float>{0, 0, 1, 2, 3, 4, 5, 0, 0, 0}));
  m.copy(a.at<float>(20), a.at<float>(0), 20);
  BOOST_TEST((fetched<float>(m, a.at<float>(0), 10) == std::vector<float>{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}));
  m.fill_zero(a.at<float>(4), 12);
  BOOST_TEST((fetched<float>(m, a.at<float>(0), 6) == std::vector<float>{1, 0, 0, 0, 5, 1}));
  m.synchronize();
}

BOOST_AUTO_TEST_CASE(copies_to_the_wrong_memory) {
  simulated_backend m;
  device_block<simulated_backend> const a(m, 40);
  std::vector<float> x(10);
  auto* const d = a.at<float>(0);
  BOOST_CHECK_EXCEPTION(m.to_device(x.data(), x.data(), 40), cuda_error,
                        has_parts("to_device: 40 bytes to", "not memory of this device (is it memory of the host?)"));
  BOOST_CHECK_EXCEPTION(m.to_device(d, d, 4), cuda_error,
                        has_parts("to_device: 4 bytes from", "memory of the device, not of the host"));
  BOOST_CHECK_EXCEPTION(m.to_host(d, d, 4), cuda_error,
                        has_parts("to_host: 4 bytes to", "memory of the device, not of the host"));
  BOOST_CHECK_EXCEPTION(m.to_host(x.data(), x.data(), 4), cuda_error,
                        has_parts("to_host: 4 bytes from", "not memory of this device"));
  BOOST_CHECK_EXCEPTION(m.copy(d, x.data(), 4), cuda_error,
                        has_parts("copy: 4 bytes from", "not memory of this device"));
  BOOST_CHECK_EXCEPTION(m.copy(x.data(), d, 4), cuda_error, has_parts("copy: 4 bytes to", "not memory of this device"));
  BOOST_CHECK_EXCEPTION(m.fill_zero(x.data(), 4), cuda_error,
                        has_parts("fill_zero: 4 bytes to", "not memory of this device"));
  BOOST_CHECK_EXCEPTION(m.to_device(nullptr, x.data(), 4), cuda_error, has_parts("not memory of this device"));
  // Behind the end.
  std::vector<float> y(20);
  BOOST_CHECK_EXCEPTION(m.to_device(d, y.data(), 44), cuda_error,
                        has_parts("44 bytes to byte 0 of an allocation of 40 bytes: they extend past its end"));
  BOOST_CHECK_EXCEPTION(m.to_host(y.data(), d + 4, 28), cuda_error,
                        has_parts("28 bytes from byte 16 of an allocation of 40 bytes: they extend past its end"));
  BOOST_CHECK_EXCEPTION(m.fill_zero(d + 10, 1), cuda_error, has_parts("1 bytes to byte 40"));
  BOOST_CHECK_EXCEPTION(m.copy(d + 1, d, 8), cuda_error, has_parts("copy: 8 bytes", "overlap"));
  // Of nothing, any address is right.
  m.to_device(nullptr, nullptr, 0);
  m.to_host(nullptr, nullptr, 0);
  m.copy(nullptr, nullptr, 0);
  m.fill_zero(nullptr, 0);
  // Given back.
  void* const gone = m.allocate(40);
  m.release(gone, 40);
  BOOST_CHECK_EXCEPTION(m.fill_zero(gone, 4), cuda_error, has_parts("not memory of this device"));
}

BOOST_AUTO_TEST_CASE(backends_are_one_device) {
  simulated_backend m;
  void* gone = nullptr;
  {
    simulated_backend other;
    device_block<simulated_backend> const a(m, 40), b(other, 80);
    std::vector<float> const x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    other.to_device(a.at<float>(0), x.data(), 40);
    m.wait_for(other);
    m.copy(b.at<float>(40), a.at<float>(0), 40);
    BOOST_TEST((fetched<float>(m, b.at<float>(40), 10) == x));
    BOOST_TEST(m.allocated_bytes() == 40u);
    BOOST_TEST(other.allocated_bytes() == 80u);
    gone = other.allocate(8);
  }
  BOOST_CHECK_EXCEPTION(m.fill_zero(gone, 4), cuda_error, has_parts("not memory of this device"));
}

template <class Kernel>
std::vector<float> computed(simulated_backend& m, std::vector<float> const& x, std::size_t count) {
  device_block<simulated_backend> const from(m, x.size() * sizeof(float)), to(m, count * sizeof(float));
  m.to_device(from.at<float>(0), x.data(), x.size() * sizeof(float));
  m.launch<Kernel>({{from.at<float>(0), to.at<float>(0)}, {}});
  return fetched<float>(m, to.at<float>(0), count);
}

BOOST_AUTO_TEST_CASE(launches) {
  auto const x = integers(512);
  for (int order : {0, 1, 2}) {
    simulated_backend m(order);
    BOOST_TEST((computed<sums<256, 2>>(m, x, 2) == sums_of(x, 256)));
    BOOST_TEST((computed<cluster_sums<2, 128, 2>>(m, x, 4) == sums_of(x, 256, 2)));
    BOOST_TEST(m.launches() == 2);
    BOOST_TEST((m.runs_clusters<cluster_sums<2, 128, 2>>()));
  }
  simulated_backend small(0, false);
  BOOST_TEST((!small.runs_clusters<cluster_sums<2, 128, 2>>()));
  BOOST_CHECK_EXCEPTION((computed<cluster_sums<2, 128, 2>>(small, x, 4)), cuda_error,
                        has_parts("launch: cluster_sums", "no clusters"));
  BOOST_TEST(small.launches() == 0);
}

BOOST_AUTO_TEST_CASE(launches_on_the_wrong_memory) {
  simulated_backend m;
  device_block<simulated_backend> const a(m, 256);
  float x[64] = {};
  BOOST_CHECK_EXCEPTION(
      (m.launch<doubled<64, 1>>({{a.at<float>(0), x}, {}})), cuda_error,
      has_parts("launch: doubled", ": pointer 1 is", "not memory of this device (is it memory of the host?)"));
  BOOST_TEST(m.launches() == 0);
  m.launch<doubled<64, 1>>({{a.at<float>(0), a.at<float>(0)}, {}});
}

/// Writes one number at an index of its own choice.
template <int Index>
struct stray {
  static constexpr int threads = 32, cluster = 1;
  static constexpr std::int64_t blocks = 1;
  using table = kernel_table<2, 1>;
  template <class Context>
  static void run(Context const& c, table const& t) {
    if (c.thread() == 7) static_cast<float*>(t.pointer[1])[Index] = 1;
  }
};

#if !defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)  // which stops the program there, too
BOOST_AUTO_TEST_CASE(kernels_that_write_beside_their_memory) {
  simulated_backend m;
  device_block<simulated_backend> const a(m, 40), b(m, 256);
  void* const none = nullptr;
  m.launch<stray<9>>({{none, a.at<float>(0)}, {}});
  BOOST_CHECK_EXCEPTION((m.launch<stray<10>>({{none, a.at<float>(0)}, {}})), cuda_error,
                        has_parts("launch: stray", "wrote outside an allocation of 40 bytes"));
  BOOST_CHECK_EXCEPTION((m.launch<stray<-1>>({{none, b.at<float>(0)}, {}})), cuda_error,
                        has_parts("wrote outside an allocation of 256 bytes"));
  BOOST_CHECK_EXCEPTION((m.launch<stray<127>>({{none, b.at<float>(0)}, {}})), cuda_error,
                        has_parts("wrote outside an allocation of 256 bytes"));
  m.launch<stray<9>>({{none, a.at<float>(0)}, {}});  // each is told once
}
#endif

/// Three products; both operands are matrices 0, 1, 0 of theirs.
template <int Rows, int Columns, int Inner, bool TransposeA, bool TransposeB>
struct three_products {
  static constexpr int rows = Rows, columns = Columns, inner = Inner;
  static constexpr bool transpose_a = TransposeA, transpose_b = TransposeB;
  static constexpr std::int64_t count = 3;
  static constexpr std::int64_t a_offset(std::int64_t i) { return i % 2 * rows * inner; }
  static constexpr std::int64_t b_offset(std::int64_t i) { return i % 2 * inner * columns; }
};

template <class T, class P>
void check_product(bool with_bias) {
  simulated_backend m;
  std::vector<T> a(2 * P::rows * P::inner), b(2 * P::inner * P::columns), bias(P::columns), y(3 * P::rows * P::columns),
      expected;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<T>(static_cast<float>(i * 7 % 5) - 2);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(static_cast<float>(i * 5 % 7) - 3);
  for (std::size_t i = 0; i < bias.size(); ++i) bias[i] = static_cast<T>(static_cast<float>(i % 3));
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t r = 0; r < P::rows; ++r)
      for (std::int64_t c = 0; c < P::columns; ++c) {
        float sum = with_bias ? static_cast<float>(bias[static_cast<std::size_t>(c)]) : 0.0f;
        for (std::int64_t k = 0; k < P::inner; ++k)
          sum +=
              static_cast<float>(
                  a[static_cast<std::size_t>(P::a_offset(i) + (P::transpose_a ? k * P::rows + r : r * P::inner + k))]) *
              static_cast<float>(b[static_cast<std::size_t>(P::b_offset(i) +
                                                            (P::transpose_b ? c * P::inner + k : k * P::columns + c))]);
        expected.push_back(static_cast<T>(with_bias && sum < 0 ? 0.0f : sum));
      }
  auto const bytes = [](auto const& v) { return v.size() * sizeof(T); };
  device_block<simulated_backend> const da(m, bytes(a)), db(m, bytes(b)), dbias(m, bytes(bias)), dy(m, bytes(y));
  m.to_device(da.template at<T>(0), a.data(), bytes(a));
  m.to_device(db.template at<T>(0), b.data(), bytes(b));
  m.to_device(dbias.template at<T>(0), bias.data(), bytes(bias));
  if (with_bias)
    m.template product<T, P>(da.template at<T>(0), db.template at<T>(0), dy.template at<T>(0), dbias.template at<T>(0),
                             true);
  else m.template product<T, P>(da.template at<T>(0), db.template at<T>(0), dy.template at<T>(0));
  m.to_host(y.data(), dy.template at<T>(0), bytes(y));
  int wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) wrong += static_cast<float>(y[i]) != static_cast<float>(expected[i]);
  BOOST_TEST(wrong == 0, P::rows << " x " << P::columns << " x " << P::inner);
  BOOST_TEST(m.products() == 1);
}

BOOST_AUTO_TEST_CASE(products) {
  check_product<float, three_products<3, 5, 4, false, false>>(false);
  check_product<float, three_products<3, 5, 4, true, false>>(false);
  check_product<float, three_products<3, 5, 4, false, true>>(true);
  check_product<float, three_products<3, 131, 4, true, true>>(true);
  check_product<double, three_products<2, 64, 3, true, true>>(false);
  check_product<double, three_products<1, 65, 1, false, false>>(false);
  check_product<espalier::half, three_products<3, 5, 4, false, true>>(true);
  check_product<espalier::bfloat16, three_products<3, 5, 4, true, false>>(false);
}

BOOST_AUTO_TEST_CASE(products_on_the_wrong_memory) {
  using P = three_products<3, 5, 4, false, false>;
  simulated_backend m;
  device_block<simulated_backend> const a(m, 2 * 12 * 4), b(m, 2 * 20 * 4), y(m, 3 * 15 * 4);
  float x[64] = {};
  auto *const pa = a.at<float>(0), *const pb = b.at<float>(0), *const py = y.at<float>(0);
  m.product<float, P>(pa, pb, py);
  BOOST_CHECK_EXCEPTION((m.product<float, P>(x, pb, py)), cuda_error,
                        has_parts("product: 96 bytes a from", "not memory of this device"));
  BOOST_CHECK_EXCEPTION((m.product<float, P>(pa, pa, py)), cuda_error,
                        has_parts("product: 160 bytes b from", "past its end"));
  BOOST_CHECK_EXCEPTION((m.product<float, P>(pa, pb, pb)), cuda_error,
                        has_parts("product: 180 bytes y to", "past its end"));
  BOOST_CHECK_EXCEPTION((m.product<float, P>(pa, pb, py, x)), cuda_error,
                        has_parts("product: 20 bytes bias from", "not memory of this device"));
}

}  // namespace

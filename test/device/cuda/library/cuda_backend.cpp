// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_backend
#include <espalier/device/cuda/unfused.hpp>
#include <espalier/device/cuda/library/cuda_backend.hpp>
#include <espalier/device/cuda/kernel/tensor_kernels.hpp>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

#include <algorithm>
#include <memory>
#include <string>

#include "support/numbers.hpp"

/// What holds with no graphics processor: the texts of errors, and what cuBLASLt is asked for. The rest runs where
/// there is one.
namespace on_cuda = espalier::on_cuda;
using namespace test;

namespace {

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}
boost::test_tools::assertion_result device(boost::unit_test::test_unit_id) { return has_device(); }
boost::test_tools::assertion_result no_device(boost::unit_test::test_unit_id) { return !has_device(); }

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (on_cuda::cuda_error const& e) {
    return e.what();
  }
  return "nothing";
}
bool contains(std::string const& text, char const* part) { return text.find(part) != std::string::npos; }

template <class T, class A, class B, class Y, std::uint64_t Transposes>
void check_product(char const* name, on_cuda::product_algorithms algorithms = on_cuda::product_algorithms::heuristic) {
  using product = on_cuda::product_of<A, B, Y, Transposes>;
  auto const a = numbers<T, A>(1);
  auto const b = numbers<T, B>(2);
  esp::tensor<T, Y> expected, got;
  for (std::int64_t i = 0; i < product::count; ++i)
    for (int r = 0; r < product::rows; ++r)
      for (int c = 0; c < product::columns; ++c) {
        double sum = 0;
        for (int k = 0; k < product::inner; ++k) {
          std::int64_t const at =
              product::transpose_a ? std::int64_t{k} * product::rows + r : std::int64_t{r} * product::inner + k;
          std::int64_t const bt =
              product::transpose_b ? std::int64_t{c} * product::inner + k : std::int64_t{k} * product::columns + c;
          sum += static_cast<double>(a.data()[product::a_offset(i) + at]) *
                 static_cast<double>(b.data()[product::b_offset(i) + bt]);
        }
        expected.data()[(i * product::rows + r) * product::columns + c] = static_cast<T>(sum);
      }
  on_cuda::cuda_backend m;
  m.set_algorithms(algorithms);
  auto const bytes = [](auto const& x) { return static_cast<std::size_t>(x.size()) * sizeof(T); };
  on_cuda::device_block<on_cuda::cuda_backend> da{m, bytes(a)}, db{m, bytes(b)}, dy{m, bytes(got)};
  m.to_device(da.at<T>(0), a.data(), bytes(a));
  m.to_device(db.at<T>(0), b.data(), bytes(b));
  m.product<T, product>(da.at<T>(0), db.at<T>(0), dy.at<T>(0));
  m.to_host(got.data(), dy.at<T>(0), bytes(got));
  std::string const text = difference(got, expected, tolerance<T>);
  BOOST_CHECK_MESSAGE(text.empty(), name << ": " << text);
}

/// Rows that add and multiply, for its name alone.
template <class T, int Rows, int Columns, class... Op>
struct some_kernel {
  static constexpr int rows = Rows, columns = Columns, threads = 128, cluster = 1;
  static constexpr std::int64_t blocks = Rows;
  using table = on_cuda::kernel_table<1>;
};
using named = some_kernel<float, 4096, 1024, esp::multiply_, esp::add_>;
using fill = on_cuda::fill_kernel<std::int32_t, 4>;
using convert = on_cuda::convert_elements_kernel<esp::half, float, 1>;
template <class Kernel>
std::string name() {
  return on_cuda::name_of<Kernel>().text;
}

}  // namespace

/// No such kernel on the device.
template <>
void const* on_cuda::device_function<named>::address() {
  return nullptr;
}

BOOST_AUTO_TEST_CASE(a_backend_needs_a_device, *boost::unit_test::precondition(no_device)) {
  std::string const text = error_of([] { on_cuda::cuda_backend m; });
  BOOST_CHECK_MESSAGE(text.rfind("no CUDA device: cudaGetDeviceCount: cudaError", 0) == 0, text);
  BOOST_TEST(error_of([] { on_cuda::cuda_backend m{cudaStream_t{nullptr}}; }) == text);
}

BOOST_AUTO_TEST_CASE(errors_name_the_call_and_what_it_was_for) {
  BOOST_TEST(error_of([] { on_cuda::detail::check(cudaSuccess, "cudaMemcpyAsync"); }) == "nothing");
  BOOST_TEST(error_of([] {
               on_cuda::detail::check(cudaErrorMemoryAllocation, "cudaMallocFromPoolAsync", "%d bytes", 12);
             }) == "cudaMallocFromPoolAsync: cudaErrorMemoryAllocation (out of memory): 12 bytes");
  BOOST_TEST(error_of([] { on_cuda::detail::check(cudaErrorInvalidValue, "cudaEventRecord"); }) ==
             "cudaEventRecord: cudaErrorInvalidValue (invalid argument)");
  BOOST_TEST(contains(error_of([] { on_cuda::detail::check(CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmul"); }),
                      "cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED ("));
}

BOOST_AUTO_TEST_CASE(kernels_have_names) {
  BOOST_TEST(name<named>() ==
             "some_kernel of float: 4096 rows x 1024 columns, ops multiply add (4096 blocks of 128 threads)");
  BOOST_TEST(name<fill>() == "fill_kernel of int (4 blocks of 256 threads)");
  BOOST_TEST(name<convert>() == "convert_elements_kernel of half (1 block of 256 threads)");
}

// How many matrices of a batch one call takes: all where both operands move in equal strides, those of the last axes
// where one repeats on the first.
BOOST_AUTO_TEST_CASE(batches_in_equal_strides) {
  using esp::shape;
  using on_cuda::product_of;
  BOOST_TEST((on_cuda::detail::equal_strides<product_of<shape<2, 3>, shape<3, 4>, shape<2, 4>, 0>>()) == 1);
  BOOST_TEST(
      (on_cuda::detail::equal_strides<product_of<shape<5, 7, 2, 3>, shape<5, 7, 3, 4>, shape<5, 7, 2, 4>, 0>>()) == 35);
  BOOST_TEST((on_cuda::detail::equal_strides<product_of<shape<5, 7, 2, 3>, shape<3, 4>, shape<5, 7, 2, 4>, 0>>()) ==
             35);
  BOOST_TEST((on_cuda::detail::equal_strides<product_of<shape<5, 7, 2, 3>, shape<7, 3, 4>, shape<5, 7, 2, 4>, 0>>()) ==
             7);
  BOOST_TEST(
      (on_cuda::detail::equal_strides<product_of<shape<5, 7, 2, 3>, shape<5, 1, 3, 4>, shape<5, 7, 2, 4>, 0>>()) == 7);
  BOOST_TEST(
      (on_cuda::detail::equal_strides<product_of<shape<5, 1, 2, 3>, shape<1, 7, 3, 4>, shape<5, 7, 2, 4>, 0>>()) == 7);
  using transposed = product_of<shape<7, 3, 2>, shape<7, 4, 3>, shape<7, 2, 4>, 3>;
  auto const f = on_cuda::detail::facts_of<double, transposed>();
  BOOST_TEST((f.rows == 2 && f.columns == 4 && f.inner == 3 && f.transpose_a && f.transpose_b && f.run == 7 &&
              f.a_stride == 6 && f.b_stride == 12));
  BOOST_TEST((f.stored == CUDA_R_64F && f.computed == CUBLAS_COMPUTE_64F && f.element_bytes == 8));
  auto const n = on_cuda::detail::facts_of<esp::bfloat16, transposed>();
  BOOST_TEST((n.stored == CUDA_R_16BF && n.scaled == CUDA_R_32F && n.computed == CUBLAS_COMPUTE_32F));
}

BOOST_AUTO_TEST_CASE(each_product_has_a_number) {
  using a = on_cuda::product_of<esp::shape<2, 3>, esp::shape<3, 4>, esp::shape<2, 4>, 0>;
  using b = on_cuda::product_of<esp::shape<2, 3>, esp::shape<3, 5>, esp::shape<2, 5>, 0>;
  int const of_a = on_cuda::detail::number_of<on_cuda::detail::chosen_product, float, a>();
  BOOST_TEST(of_a != (on_cuda::detail::number_of<on_cuda::detail::chosen_product, float, b>()));
  BOOST_TEST(of_a != (on_cuda::detail::number_of<on_cuda::detail::chosen_product, double, a>()));
  BOOST_TEST(of_a == (on_cuda::detail::number_of<on_cuda::detail::chosen_product, float, a>()));
  on_cuda::detail::product_table table;
  BOOST_TEST(table.at(of_a + 100, 7) == nullptr);
  BOOST_TEST(table.at(0, 0) == nullptr);
}

BOOST_AUTO_TEST_CASE(the_fastest_algorithm_that_ran) {
  float const times[]{3, -1, 2, 2.5f, 2};
  BOOST_TEST(on_cuda::detail::fastest_of(times, 5) == 2);
  BOOST_TEST(on_cuda::detail::fastest_of(times, 2) == 0);
  BOOST_TEST(on_cuda::detail::fastest_of(times + 1, 1) == 0);
  BOOST_TEST(on_cuda::detail::fastest_of(times, 0) == 0);
}

BOOST_AUTO_TEST_CASE(copies_both_ways, *boost::unit_test::precondition(device)) {
  on_cuda::cuda_backend m;
  // Larger than the staging ring, and no multiple of its slots.
  constexpr std::size_t count = 3 * 1024 * 1024 + 5;
  for (std::size_t const size : {std::size_t{1}, std::size_t{300000}, count}) {
    auto const from = std::make_unique<float[]>(size), to = std::make_unique<float[]>(size);
    for (std::size_t i = 0; i < size; ++i) from[i] = static_cast<float>(i % 1000);
    on_cuda::device_block<on_cuda::cuda_backend> x{m, size * sizeof(float)}, y{m, size * sizeof(float)};
    BOOST_TEST(reinterpret_cast<std::uintptr_t>(x.at<float>(0)) % 256 == 0u);
    m.to_device(x.at<float>(0), from.get(), size * sizeof(float));
    m.copy(y.at<float>(0), x.at<float>(0), size * sizeof(float));
    m.fill_zero(x.at<float>(0), size * sizeof(float));
    m.to_host(to.get(), y.at<float>(0), size * sizeof(float));
    BOOST_TEST(std::equal(from.get(), from.get() + size, to.get()));
    m.to_host(to.get(), x.at<float>(0), size * sizeof(float));
    BOOST_TEST(std::all_of(to.get(), to.get() + size, [](float e) { return e == 0; }));
  }
}

BOOST_AUTO_TEST_CASE(a_launch_that_fails_names_its_kernel, *boost::unit_test::precondition(device)) {
  on_cuda::cuda_backend m;
  std::string const text = error_of([&] { m.launch<named>({}); });
  BOOST_CHECK_MESSAGE(text.rfind("cudaLaunchKernelExC: cudaError", 0) == 0, text);
  BOOST_CHECK_MESSAGE(contains(text, "some_kernel of float: 4096 rows x 1024 columns, ops multiply add"), text);
  m.synchronize();  // an error that has been said does not come back
}

BOOST_AUTO_TEST_CASE(products, *boost::unit_test::precondition(device)) {
  using esp::shape;
  check_product<float, shape<33, 20>, shape<20, 9>, shape<33, 9>, 0>("odd");
  check_product<float, shape<64, 128>, shape<128, 32>, shape<64, 32>, 0>("aligned");
  check_product<float, shape<20, 33>, shape<20, 9>, shape<33, 9>, 1>("a transposed");
  check_product<float, shape<33, 20>, shape<9, 20>, shape<33, 9>, 2>("b transposed");
  check_product<double, shape<20, 33>, shape<9, 20>, shape<33, 9>, 3>("both transposed");
  check_product<float, shape<1, 20>, shape<20, 1>, shape<1, 1>, 0>("one number");
  check_product<float, shape<5, 7, 8, 4>, shape<5, 7, 4, 12>, shape<5, 7, 8, 12>, 0>("a batch");
  check_product<float, shape<5, 7, 8, 4>, shape<4, 12>, shape<5, 7, 8, 12>, 0>("a batch with one b");
  check_product<float, shape<5, 7, 8, 4>, shape<7, 12, 4>, shape<5, 7, 8, 12>, 2>(
      "a batch with b's of its own last axis");
  check_product<double, shape<5, 1, 3, 2>, shape<1, 7, 2, 3>, shape<5, 7, 3, 3>, 0>("all with all");
}

BOOST_AUTO_TEST_CASE(products_by_measured_algorithms, *boost::unit_test::precondition(device)) {
  using esp::shape;
  auto const measured = on_cuda::product_algorithms::measured;
  check_product<float, shape<33, 20>, shape<20, 9>, shape<33, 9>, 0>("odd", measured);
  check_product<float, shape<512, 256>, shape<256, 384>, shape<512, 384>, 0>("large", measured);
  check_product<double, shape<20, 33>, shape<9, 20>, shape<33, 9>, 3>("both transposed", measured);
  check_product<float, shape<5, 7, 8, 4>, shape<7, 12, 4>, shape<5, 7, 8, 12>, 2>("a batch", measured);
}

// A chain of kernels that each read what the one before wrote, directly and captured.
BOOST_AUTO_TEST_CASE(launches_that_overlap, *boost::unit_test::precondition(device)) {
  constexpr int size = 1 << 20, steps = 64;
  using narrowed = on_cuda::convert_kernel<esp::bfloat16, float, size>;
  using widened = on_cuda::convert_kernel<float, esp::bfloat16, size>;
  on_cuda::cuda_backend m;
  m.set_overlapping_launches(true);
  on_cuda::device_block<on_cuda::cuda_backend> x{m, sizeof(float) * size}, y{m, sizeof(esp::bfloat16) * size};
  auto const from = std::make_unique<float[]>(size), to = std::make_unique<float[]>(size);
  for (int i = 0; i < size; ++i) from[static_cast<std::size_t>(i)] = static_cast<float>(i % 128);
  auto const chain = [&] {
    for (int i = 0; i < steps; ++i) {
      m.launch<narrowed>({{x.at<float>(0), y.at<esp::bfloat16>(0)}, {}});
      m.launch<widened>({{y.at<esp::bfloat16>(0), x.at<float>(0)}, {}});
    }
  };
  m.to_device(x.at<float>(0), from.get(), x.bytes());
  chain();
  m.to_host(to.get(), x.at<float>(0), x.bytes());
  BOOST_TEST(std::equal(from.get(), from.get() + size, to.get()));
  m.begin_capture();
  chain();
  on_cuda::captured_graph const graph = m.end_capture();
  for (int i = 0; i < 10; ++i) graph.launch(m);
  m.to_host(to.get(), x.at<float>(0), x.bytes());
  BOOST_TEST(std::equal(from.get(), from.get() + size, to.get()));
}

BOOST_AUTO_TEST_CASE(products_with_bias_and_relu, *boost::unit_test::precondition(device)) {
  using product = on_cuda::product_of<esp::shape<32, 16>, esp::shape<16, 24>, esp::shape<32, 24>, 0>;
  auto const a = floats<32, 16>(1);
  auto const b = floats<16, 24>(2);
  auto const bias = floats<24>(3);
  esp::tensor<float, esp::shape<32, 24>> const expected = relu(matmul(a, b) + bias);
  esp::tensor<float, esp::shape<32, 24>> got;
  on_cuda::cuda_backend m;
  on_cuda::device_block<on_cuda::cuda_backend> da{m, sizeof(float) * 32 * 16}, db{m, sizeof(float) * 16 * 24},
      dy{m, sizeof(float) * 32 * 24}, dbias{m, sizeof(float) * 24};
  m.to_device(da.at<float>(0), a.data(), da.bytes());
  m.to_device(db.at<float>(0), b.data(), db.bytes());
  m.to_device(dbias.at<float>(0), bias.data(), dbias.bytes());
  m.product<float, product>(da.at<float>(0), db.at<float>(0), dy.at<float>(0), dbias.at<float>(0), true);
  m.to_host(got.data(), dy.at<float>(0), dy.bytes());
  std::string const text = difference(got, expected, 2e-5);
  BOOST_CHECK_MESSAGE(text.empty(), text);
}

BOOST_AUTO_TEST_CASE(a_captured_sequence_runs_again, *boost::unit_test::precondition(device)) {
  on_cuda::cuda_backend m;
  float const ones[4] = {1, 1, 1, 1};
  float got[4]{};
  on_cuda::device_block<on_cuda::cuda_backend> x{m, sizeof ones}, y{m, sizeof ones};
  m.to_device(x.at<float>(0), ones, sizeof ones);
  m.begin_capture();
  m.copy(y.at<float>(0), x.at<float>(0), sizeof ones);
  BOOST_TEST(contains(error_of([&] { m.to_host(got, y.at<float>(0), sizeof got); }),
                      "not possible while a graph is captured"));
  on_cuda::captured_graph graph = m.end_capture();
  m.to_host(got, y.at<float>(0), sizeof got);
  BOOST_TEST(got[0] == 0);
  graph.launch(m);
  m.to_host(got, y.at<float>(0), sizeof got);
  BOOST_TEST(got[3] == 1);
  m.begin_capture();
  m.abandon_capture();
  m.synchronize();
}

BOOST_AUTO_TEST_CASE(on_a_stream_of_the_users, *boost::unit_test::precondition(device)) {
  cudaStream_t stream = nullptr;
  BOOST_TEST_REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  {
    on_cuda::cuda_backend m{stream}, other;
    BOOST_TEST(m.stream() == stream);
    float const one = 1;
    float got = 0;
    on_cuda::device_block<on_cuda::cuda_backend> x{m, sizeof one};
    m.to_device(x.at<float>(0), &one, sizeof one);
    other.wait_for(m);
    other.to_host(&got, x.at<float>(0), sizeof got);
    BOOST_TEST(got == 1);
  }
  BOOST_TEST(cudaStreamDestroy(stream) == cudaSuccess);
}

BOOST_AUTO_TEST_CASE(a_capture_that_the_user_began, *boost::unit_test::precondition(device)) {
  cudaStream_t stream = nullptr;
  BOOST_TEST_REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    on_cuda::cuda_backend m{stream};
    float const one = 1;
    float got = 0;
    on_cuda::device_block<on_cuda::cuda_backend> x{m, sizeof one}, y{m, sizeof one};
    auto released = std::make_unique<on_cuda::device_block<on_cuda::cuda_backend>>(m, sizeof one);
    m.to_device(x.at<float>(0), &one, sizeof one);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runnable = nullptr;
    BOOST_TEST_REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess);
    BOOST_TEST(m.capturing());
    m.copy(y.at<float>(0), x.at<float>(0), sizeof one);
    BOOST_TEST(contains(error_of([&] { m.allocate(4); }), "allocate: not possible while a graph is captured"));
    released.reset();
    BOOST_TEST_REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    BOOST_TEST(!m.capturing());
    std::size_t nodes = 0;
    BOOST_TEST(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
    BOOST_TEST(nodes == 1u);  // the copy alone
    BOOST_TEST_REQUIRE(cudaGraphInstantiate(&runnable, graph, 0) == cudaSuccess);
    BOOST_TEST(cudaGraphLaunch(runnable, stream) == cudaSuccess);
    m.to_host(&got, y.at<float>(0), sizeof got);
    BOOST_TEST(got == 1);
    m.release(m.allocate(4), 4);
    BOOST_TEST(cudaGraphExecDestroy(runnable) == cudaSuccess);
    BOOST_TEST(cudaGraphDestroy(graph) == cudaSuccess);
  }
  BOOST_TEST(cudaStreamDestroy(stream) == cudaSuccess);
}

// Copies on a stream of their own: 200 batches go through 3 slots, each is read behind its copy, and no slot is
// overwritten before its reader is done.
BOOST_AUTO_TEST_CASE(copies_beside_the_work, *boost::unit_test::precondition(device)) {
  on_cuda::cuda_backend m;
  constexpr int slots = 3, batches = 200;
  constexpr std::size_t count = std::size_t{1} << 20, bytes = count * sizeof(float);
  on_cuda::cuda_copy_stream copies{m, slots};
  on_cuda::staging_block<on_cuda::cuda_backend> host{m, slots * bytes};
  on_cuda::device_block<on_cuda::cuda_backend> at{m, slots * bytes}, results{m, batches * sizeof(float) * 2};
  for (int slot = 0; slot < slots; ++slot) copies.after_use(slot, m);
  copies.begin_thread();
  for (int i = 0; i < batches; ++i) {
    int const slot = i % slots;
    std::size_t const from = static_cast<std::size_t>(slot) * bytes;
    copies.wait_until_sent(slot);
    auto* const batch = reinterpret_cast<float*>(host.at(from));
    std::fill(batch, batch + count, static_cast<float>(i + 1));
    copies.send(slot, at.at<void>(from), batch, bytes);
    copies.before_use(slot, m);
    m.copy(results.at<float>(static_cast<std::size_t>(2 * i) * sizeof(float)), at.at<float>(from), sizeof(float));
    m.copy(results.at<float>(static_cast<std::size_t>(2 * i + 1) * sizeof(float)),
           at.at<float>(from + bytes - sizeof(float)), sizeof(float));
    copies.after_use(slot, m);
  }
  auto const got = std::make_unique<float[]>(2 * batches);
  m.to_host(got.get(), results.at<float>(0), 2 * batches * sizeof(float));
  for (int i = 0; i < 2 * batches; ++i) BOOST_TEST(got[static_cast<std::size_t>(i)] == static_cast<float>(i / 2 + 1));
}

// Parts of a sum that were added in 16 bits would be off by several times the distance of two halves.
BOOST_AUTO_TEST_CASE(long_sums_of_16_bits, *boost::unit_test::precondition(device)) {
  constexpr int inner = 1 << 16, columns = 8;
  using product = on_cuda::product_of<esp::shape<8, inner>, esp::shape<inner, columns>, esp::shape<8, columns>, 0>;
  auto const a = esp::tensor<esp::half, esp::shape<8, inner>>{floats<8, inner>(1, 0, 1)};
  auto const b = esp::tensor<esp::half, esp::shape<inner, columns>>{floats<inner, columns>(2, 0, 0.05)};
  on_cuda::cuda_backend m;
  on_cuda::device_block<on_cuda::cuda_backend> x{m, sizeof(esp::half) * 8 * inner},
      w{m, sizeof(esp::half) * inner * columns}, y{m, sizeof(esp::half) * 8 * columns};
  m.to_device(x.at<esp::half>(0), a.data(), sizeof(esp::half) * 8 * inner);
  m.to_device(w.at<esp::half>(0), b.data(), sizeof(esp::half) * inner * columns);
  m.product<esp::half, product>(x.at<esp::half>(0), w.at<esp::half>(0), y.at<esp::half>(0));
  esp::half got[8 * columns];
  m.to_host(got, y.at<esp::half>(0), sizeof got);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < columns; ++c) {
      double sum = 0;
      for (int k = 0; k < inner; ++k)
        sum += static_cast<double>(static_cast<float>(a.data()[r * inner + k])) *
               static_cast<double>(static_cast<float>(b.data()[k * columns + c]));
      BOOST_TEST(std::fabs(static_cast<double>(static_cast<float>(got[r * columns + c])) - sum) <= sum * 0x1p-10);
    }
}

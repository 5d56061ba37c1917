// SPDX-License-Identifier: BSL-1.0
// Limits of a backend's memory, allocators of the user, and streams of the user.
#define BOOST_TEST_MODULE device_cuda_tensor_memory_source
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"
#include "support/test_device.hpp"

#include <string>
#include <vector>

using namespace test;
using esp::shape, esp::tensor;
using source = backend::memory_source_type;

namespace {

template <class F>
std::string error_of(F const& f) {
  try {
    f();
  } catch (esp::cuda_error const& error) {
    return error.what();
  }
  return {};
}
bool has(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

/// An allocator of the user: another backend, with a record of what it gave.
struct lender {
  backend from;
  std::vector<std::pair<void*, std::size_t>> lent;
  std::size_t released = 0, offset = 0;
  bool empty = false;

  static void* lend(std::size_t bytes, auto, void* context) {
    auto& self = *static_cast<lender*>(context);
    if (self.empty) return nullptr;
    auto* const at = static_cast<unsigned char*>(self.from.allocate(bytes + 256)) + self.offset;
    std::vector<unsigned char> const used(bytes, 7);  // memory that was used before
    self.from.to_device(at, used.data(), bytes);
    self.from.synchronize();
    self.lent.emplace_back(at, bytes);
    return at;
  }
  static void take_back(void* at, std::size_t bytes, auto, void* context) {
    auto& self = *static_cast<lender*>(context);
    BOOST_TEST_REQUIRE(!self.lent.empty());
    bool found = false;
    for (auto const& [address, size] : self.lent) found = found || (address == at && size == bytes);
    BOOST_TEST(found);
    self.from.release(static_cast<unsigned char*>(at) - self.offset, bytes + 256);
    self.released += bytes;
  }
  source as_source(std::size_t limit = source::unlimited) {
    source s;
    s.limit = limit;
    s.allocate = [](std::size_t bytes, auto stream, void* context) { return lend(bytes, stream, context); };
    s.release = [](void* at, std::size_t bytes, auto stream, void* context) { take_back(at, bytes, stream, context); };
    s.context = this;
    return s;
  }
};

using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 3>>;
using Batch = esp::batch<4, 8>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_limit) {
  backend m;
  source limited;
  limited.limit = 1000;
  m.set_memory(limited);
  BOOST_TEST(m.allocated_bytes() == 0u);
  void* const first = m.allocate(600);
  BOOST_TEST(has(error_of([&] { (void)m.allocate(401); }),
                 "::allocate: 401 bytes exceed the limit of 1000 bytes (set_memory), of which 600 are in use"));
  void* const second = m.allocate(400);
  BOOST_TEST(m.allocated_bytes() == 1000u);
  m.release(first, 600);
  BOOST_TEST(m.allocated_bytes() == 400u);
  limited.limit = 399;
  BOOST_TEST(has(error_of([&] { m.set_memory(limited); }),
                 "::set_memory: expected a limit of at least the 400 bytes that are held, got 399"));
  m.release(m.allocate(600), 600);  // the limit is as before
  m.release(second, 400);
  BOOST_TEST(m.allocated_bytes() == 0u);
  m.trim();
}

BOOST_AUTO_TEST_CASE(a_model_beyond_the_limit) {
  backend m;
  using Model = esp::model<Net, device>;
  source limited;
  limited.limit = Model::bytes;
  m.set_memory(limited);
  {
    Model model{esp::seed{1}, m};
    BOOST_TEST(m.allocated_bytes() == Model::bytes);
    BOOST_TEST(has(error_of([&] {
                     esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, Batch{}};
                   }),
                   "exceed the limit"));
    BOOST_TEST(m.allocated_bytes() == Model::bytes);
  }
  BOOST_TEST(m.allocated_bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(an_allocator_of_the_user) {
  tensor<float, Batch> const images{floats<4, 8>(1)};
  tensor<std::int32_t, shape<4>> const labels{0, 2, 1, 1};
  auto const train = [&](backend& m) {
    esp::model<Net, device> model{esp::seed{1}, m};
    esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, Batch{}};
    float loss = 0;
    for (int i = 0; i < 5; ++i) loss = trainer.step(images, labels);
    return loss;
  };
  backend own;
  float const expected = train(own);
  lender from;
  {
    backend m;
    m.set_memory(from.as_source());
    BOOST_TEST(train(m) == expected);  // also from memory that was used before
  }
  BOOST_TEST(!from.lent.empty());
  std::size_t lent = 0;
  for (auto const& [at, bytes] : from.lent) lent += bytes;
  BOOST_TEST(from.released == lent);
}

BOOST_AUTO_TEST_CASE(wrong_allocators) {
  backend m;
  source incomplete;
  lender unused;
  incomplete.allocate = unused.as_source().allocate;
  BOOST_TEST(has(error_of([&] { m.set_memory(incomplete); }),
                 "::set_memory: expected both allocate and release, or neither, got one"));
  lender from;
  void* const at = m.allocate(100);
  BOOST_TEST(has(error_of([&] { m.set_memory(from.as_source()); }),
                 "::set_memory: expected to be called before memory is taken from another allocator, which holds 100 "
                 "bytes"));
  m.release(at, 100);
  m.set_memory(from.as_source(5000));
  from.empty = true;
  BOOST_TEST(has(error_of([&] { (void)m.allocate(10); }), "aligned to 256 bytes from your allocator, got"));
  from.empty = false;
  from.offset = 16;
  BOOST_TEST(has(error_of([&] { (void)m.allocate(10); }), "aligned to 256 bytes from your allocator, got"));
  BOOST_TEST(from.released == 10u);  // it has its memory back
  BOOST_TEST(m.allocated_bytes() == 0u);
  from.offset = 0;
  BOOST_TEST(has(error_of([&] { (void)m.allocate(5001); }), "exceed the limit"));
  m.release(m.allocate(0), 0);
}

// Elements that a stream of the user writes: the expression waits for them.
BOOST_AUTO_TEST_CASE(elements_of_a_stream_of_the_user) {
  backend writer;
  auto const host = floats<8>(1);
  esp::on_cuda::device_block<backend> const memory{writer, sizeof(float) * 8};
  writer.to_device(memory.at<float>(0), host.data(), sizeof(float) * 8);
#if defined(__CUDA_RUNTIME_API_H__)
  auto const stream = writer.stream();
#else
  auto* const stream = &writer.stream();
#endif
  esp::view<float const, shape<8>, device> const x{memory.at<float>(0), stream};
  tensor<float, shape<8>, device> const y = x * 2.0f;
  auto const result = y.to_host();
  for (int i = 0; i < 8; ++i) BOOST_TEST(result[i] == 2 * host[i]);
  esp::on_cuda::default_backend<device>().continue_on(stream);
  float got[8];
  writer.to_host(got, y.data(), sizeof got);
  for (int i = 0; i < 8; ++i) BOOST_TEST(got[i] == 2 * host[i]);
  BOOST_TEST(has(error_of([&] { esp::view<float const, shape<4>, device>(memory.at<float>(1), stream); }),
                 "multiple of 16 bytes"));
}

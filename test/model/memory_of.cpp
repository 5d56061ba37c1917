// SPDX-License-Identifier: BSL-1.0
// The stated memory is what objects have: their own size, and what they need beside it.
#define BOOST_TEST_MODULE model_memory_of
#include <boost/test/unit_test.hpp>

#include <espalier/model/calibration.hpp>
#include <espalier/model/embedded.hpp>
#include <espalier/model/frozen.hpp>
#include <espalier/model/memory_of.hpp>
#include <espalier/model/quantized.hpp>
#include <espalier/stream.hpp>

#include <cstdlib>
#include <new>

#include "../../docs/examples/support/digits_net.hpp"
#include "../../docs/examples/support/digits_weights.hpp"
#include "support/nets.hpp"

using namespace test;

namespace {

using Model = esp::model<DigitsNet>;
using Constant = esp::read_only_model<DigitsNet, digits_weights>;
using picture = esp::batch<1, 8, 8>;
using pictures = esp::batch<8, 8, 8>;
template <class Rule>
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, Rule, pictures>;

constexpr bool is_sum_of_parts(esp::memory_facts const& m) {
  return m.ram_bytes == m.parameter_bytes + m.buffer_bytes + m.gradient_bytes + m.optimizer_bytes + m.workspace_bytes +
                            m.kernel_bytes + m.other_bytes + m.object_bytes;
}
/// What a program has that keeps an object and its memory in static storage.
template <class X>
struct in_static_memory {
  esp::bytes<X::bytes> room;
  alignas(X) unsigned char object[sizeof(X)];
};
template <class X>
constexpr std::size_t static_bytes = sizeof(in_static_memory<X>::room) + sizeof(in_static_memory<X>::object);

// 1,258 parameters and 32 running statistics; each tensor at a multiple of 16 numbers.
constexpr auto model = esp::memory_of<Model>;
static_assert(model.parameter_bytes == 4 * (1024 + 16 + 16 + 16 + 160 + 16) && model.buffer_bytes == 4 * 32);
static_assert(model.other_bytes == 0 && model.object_bytes == sizeof(Model) && model.flash_bytes == 0);
static_assert(model.ram_bytes == static_bytes<Model> && is_sum_of_parts(model));

// The same numbers are constants: nothing of them is in ram.
constexpr auto constant = esp::memory_of<Constant>;
static_assert(constant.ram_bytes == 0 && constant.flash_bytes == sizeof digits_weights::numbers + sizeof(Constant));

using Predictor = esp::predictor<Constant, picture>;
constexpr auto predictor = esp::memory_of<Predictor>;
static_assert(predictor.ram_bytes == static_bytes<Predictor> && predictor.parameter_bytes == 0);
static_assert(predictor.workspace_bytes == Predictor::workspace_bytes && is_sum_of_parts(predictor));
static_assert(esp::memory_of<Constant, Predictor>.ram_bytes == predictor.ram_bytes &&
              esp::memory_of<Constant, Predictor>.flash_bytes == constant.flash_bytes);

// A frozen net has its own parameters, in ram.
using Frozen = esp::frozen<Constant, picture>;
constexpr auto frozen = esp::memory_of<Frozen>;
static_assert(frozen.ram_bytes == static_bytes<Frozen> && frozen.flash_bytes == 0 && is_sum_of_parts(frozen));
static_assert(frozen.parameter_bytes == Frozen::parameter_bytes && frozen.parameter_bytes >= 4 * (1024 + 160));

// The parameters that a trainer states are its model's: they are counted once.
using SGD = Trainer<optim::SGD<>>;
using Adam = Trainer<optim::Adam>;
constexpr auto sgd = esp::memory_of<SGD>, adam = esp::memory_of<Adam>;
static_assert(sgd.ram_bytes == static_bytes<SGD> && sgd.parameter_bytes == 0 && is_sum_of_parts(sgd));
static_assert(sgd.optimizer_bytes == 0 && sgd.gradient_bytes == model.parameter_bytes);
static_assert(adam.ram_bytes == static_bytes<Adam> && adam.optimizer_bytes == 2 * model.parameter_bytes);
static_assert(esp::memory_of<Model, Adam>.ram_bytes == model.ram_bytes + adam.ram_bytes);
static_assert(esp::memory_of<Model, Adam>.parameter_bytes == model.parameter_bytes &&
              is_sum_of_parts(esp::memory_of<Model, Adam>));

using Waves = nn::Sequential<nn::Conv1d<1, 4, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>, nn::Tanh>;
}  // namespace

/// Counts the bytes of aligned new that are not deleted yet.
static std::size_t allocated = 0;
static struct {
  void* at;
  std::size_t size;
} live[64];
void* operator new(std::size_t size, std::align_val_t alignment) {
  std::size_t const to = static_cast<std::size_t>(alignment);
  void* const r = std::aligned_alloc(to, (size + to - 1) / to * to);
  if (r == nullptr) throw std::bad_alloc();
  for (auto& each : live)
    if (each.at == nullptr) {
      each = {r, size};
      allocated += size;
      return r;
    }
  throw std::bad_alloc();
}
void operator delete(void* at, std::align_val_t) noexcept {
  for (auto& each : live)
    if (at != nullptr && each.at == at) {
      allocated -= each.size;
      each = {};
    }
  std::free(at);
}
void operator delete(void* at, std::size_t, std::align_val_t alignment) noexcept { ::operator delete(at, alignment); }

namespace {
template <class X, class... Arguments>
void check_allocates(char const* name, Arguments&... arguments) {
  std::size_t const before = allocated;
  X const x{arguments...};
  BOOST_TEST(allocated - before + sizeof x == esp::memory_of<X>.ram_bytes, name);
}
}  // namespace

BOOST_AUTO_TEST_CASE(objects_allocate_what_they_state) {
  static constexpr Constant constant_model;
  esp::seed seed{0};
  picture one;
  pictures several;
  check_allocates<Model>("model", seed);
  check_allocates<Predictor>("predictor", constant_model, one);
  check_allocates<Frozen>("frozen", constant_model, one);
  Model net{seed};
  nn::SoftmaxLoss loss;
  optim::SGD<> plain;
  optim::Adam rule;
  check_allocates<SGD>("trainer with SGD", net, loss, plain, several);
  check_allocates<Adam>("trainer with Adam", net, loss, rule, several);
}
BOOST_AUTO_TEST_CASE(quantized_nets_allocate_what_they_state) {
  Model net{esp::seed{0}};
  esp::calibration ranges{net, esp::batch<8, 8, 8>{}};
  ranges(floats<8, 8, 8>(1));
  std::size_t const before = allocated;
  esp::quantized const small{net, ranges, picture{}};
  using Quantized = std::remove_const_t<decltype(small)>;
  constexpr auto facts = esp::memory_of<Quantized>;
  static_assert(is_sum_of_parts(facts) && facts.parameter_bytes == Quantized::parameter_bytes &&
                facts.flash_bytes == 0);
  BOOST_TEST(allocated - before + sizeof small == facts.ram_bytes);
}
BOOST_AUTO_TEST_CASE(streams_allocate_what_they_state) {
  esp::model<Waves> net{esp::seed{0}};
  std::size_t const before = allocated;
  esp::stream const effect{net, esp::batch<1, 8, 1>{}};
  using Stream = std::remove_const_t<decltype(effect)>;
  constexpr auto facts = esp::memory_of<Stream>;
  static_assert(is_sum_of_parts(facts) && facts.ram_bytes == static_bytes<Stream>);
  static_assert(facts.other_bytes >= Stream::state_bytes);
  BOOST_TEST(allocated - before + sizeof effect == facts.ram_bytes);
}

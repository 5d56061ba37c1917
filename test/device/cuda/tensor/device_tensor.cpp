// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_tensor_device_tensor
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

#include "support/numbers.hpp"
#include "support/test_device.hpp"

using namespace test;

namespace {
template <class T, int... E>
using on_device = esp::tensor<T, esp::shape<E...>, device>;
template <int... E>
using on_host = esp::tensor<float, esp::shape<E...>>;
}  // namespace

BOOST_AUTO_TEST_CASE(starts_with_zeros) {
  on_device<float, 3, 70> const x;
  on_device<bool, 5> const flags;
  BOOST_TEST((x.to_host() == on_host<3, 70>{}));
  BOOST_TEST((flags.to_host() == esp::tensor<bool, esp::shape<5>>{}));
  static_assert(x.size() == 210 && x.rank == 2 && x.shape().at[1] == 70);
}

BOOST_AUTO_TEST_CASE(comes_from_the_host_and_goes_back) {
  auto const host = floats<64, 33>(1);
  on_device<float, 64, 33> const x = host;
  on_host<64, 33> const back(x);
  on_host<64, 33> assigned;
  assigned = x;
  BOOST_TEST((back == host));
  BOOST_TEST((assigned == host));
  BOOST_TEST((x.to_host() == host));
}

BOOST_AUTO_TEST_CASE(host_and_view_assigned) {
  auto const host = floats<7>(1);
  float const other[] = {1, 2, 3, 4, 5, 6, 7};
  on_device<float, 7> x;
  x = host;
  BOOST_TEST((x.to_host() == host));
  x = esp::view<float const, esp::shape<7>>(other);
  BOOST_TEST((x.to_host() == on_host<7>{1, 2, 3, 4, 5, 6, 7}));
  on_device<float, 7> const of_view(esp::view<float const, esp::shape<7>>{other});
  BOOST_TEST((of_view.to_host() == x.to_host()));
}

BOOST_AUTO_TEST_CASE(initialisers) {
  on_device<float, 3> const row{1, 2, 3};
  on_device<double, 2, 2> const matrix{{1, 2}, {3, 4}};
  on_device<float, 1, 2, 2> const three{{{1, 2}, {3, 4}}};
  on_device<float> const one = 7.f;
  BOOST_TEST((row.to_host() == on_host<3>{1, 2, 3}));
  BOOST_TEST((matrix.to_host() == esp::tensor<double, esp::shape<2, 2>>{{1, 2}, {3, 4}}));
  BOOST_TEST((three.to_host() == on_host<1, 2, 2>{{{1, 2}, {3, 4}}}));
  on_device<float, 1, 2, 1, 1, 2> const five{{{{{1, 2}}}, {{{3, 4}}}}};
  BOOST_TEST(five.to_host()(0, 1, 0, 0, 1) == 4);
  on_device<float, 1, 2, 1, 1, 2, 1> const six{{{{{{1}, {2}}}}, {{{{3}, {4}}}}}};
  BOOST_TEST(six.to_host()(0, 1, 0, 0, 1, 0) == 4);
  BOOST_TEST(static_cast<float>(one) == 7.f);
}

BOOST_AUTO_TEST_CASE(copies_are_deep) {
  on_device<float, 3> a{1, 2, 3}, b = a;
  BOOST_TEST(a.data() != b.data());
  b.fill(9);
  BOOST_TEST((a.to_host() == on_host<3>{1, 2, 3}));
  BOOST_TEST((b.to_host() == on_host<3>{9, 9, 9}));
  float* const storage = b.data();
  b = a;
  BOOST_TEST(b.data() == storage);
  BOOST_TEST((b.to_host() == on_host<3>{1, 2, 3}));
  auto const& itself = b;
  b = itself;
  BOOST_TEST((b.to_host() == on_host<3>{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(moves_hand_the_memory_over) {
  on_device<float, 3> a{1, 2, 3};
  float* const storage = a.data();
  on_device<float, 3> b = std::move(a);
  BOOST_TEST(b.data() == storage);
  BOOST_TEST(a.data() == nullptr);
  on_device<float, 3> const of_nothing = a;
  BOOST_TEST(of_nothing.data() == nullptr);
  a = b;
  BOOST_TEST((a.to_host() == on_host<3>{1, 2, 3}));
  on_device<float, 3> c{4, 5, 6};
  c = std::move(b);
  BOOST_TEST(c.data() == storage);
  BOOST_TEST((b.to_host() == on_host<3>{4, 5, 6}));
}

BOOST_AUTO_TEST_CASE(filled) {
  on_device<double, 1000> x;
  x.fill(-2.5);
  esp::tensor<double, esp::shape<1000>> expected;
  expected.fill(-2.5);
  BOOST_TEST((x.to_host() == expected));
  on_device<bool, 9> flags;
  flags.fill(true);
  BOOST_TEST(flags.to_host()[8]);
  on_device<std::int32_t, 300> labels;
  labels.fill(-3);
  BOOST_TEST(labels.to_host()[299] == -3);
}

// More elements than a grid has threads, and no multiple of them.
BOOST_AUTO_TEST_CASE(more_elements_than_threads) {
  constexpr int count = 1024 * 256 + 77;
  on_device<float, count> x;
  x.fill(3);
  auto const host = esp::tensor<double, esp::shape<count>, device>(x).to_host();
  std::int64_t wrong = 0;
  for (double const e : host) wrong += e != 3;
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(element_types_convert_on_the_device) {
  on_device<float, 4> const x{0, 1.5f, -2, 3};
  using wide = on_device<double, 4>;
  using flags = on_device<bool, 4>;
  using whole = on_device<std::int32_t, 4>;
  BOOST_TEST((wide(x).to_host() == esp::tensor<double, esp::shape<4>>{0.0, 1.5, -2.0, 3.0}));
  BOOST_TEST((flags(x).to_host() == esp::tensor<bool, esp::shape<4>>{false, true, true, true}));
  BOOST_TEST((whole(x).to_host() == esp::tensor<std::int32_t, esp::shape<4>>{0, 1, -2, 3}));
}

BOOST_AUTO_TEST_CASE(narrow_elements_are_stored) {
  on_device<float, 4> const x{0, 1.5f, -2, 1000};
  on_device<esp::half, 4> const narrow(x);
  on_device<esp::bfloat16, 4> const brain(x);
  static_assert(sizeof(*narrow.data()) == 2);
  BOOST_TEST((on_device<float, 4>(narrow).to_host() == x.to_host()));
  BOOST_TEST((on_device<float, 4>(brain).to_host() == x.to_host()));
}

BOOST_AUTO_TEST_CASE(a_view_begins_at_16_bytes) {
  on_device<float, 8> x;
  esp::view<float, esp::shape<4>, device> const second(x.data() + 4);
  BOOST_TEST(second.data() == x.data() + 4);
  BOOST_CHECK_EXCEPTION(
      (esp::view<float, esp::shape<4>, device>(x.data() + 1)), espalier::on_cuda::cuda_error,
      [](auto const& e) { return std::string(e.what()).find("must be a multiple of 16 bytes") != std::string::npos; });
}
BOOST_AUTO_TEST_CASE(a_view_refers_to_it) {
  on_device<float, 2, 3> x{{1, 2, 3}, {4, 5, 6}};
  esp::view<float const, esp::shape<2, 3>, device> const v(x);
  BOOST_TEST(v.data() == x.data());
  BOOST_TEST((v.to_host() == x.to_host()));
  on_device<float, 2, 3> const y(v);
  BOOST_TEST(y.data() != x.data());
  BOOST_TEST((y.to_host() == x.to_host()));
  on_device<float, 3, 2> const z(esp::view<float, esp::shape<3, 2>, device>(x.data()));
  BOOST_TEST((z.to_host() == on_host<3, 2>{{1, 2}, {3, 4}, {5, 6}}));
  x = esp::view<float const, esp::shape<2, 3>, device>(y);
  BOOST_TEST((x.to_host() == y.to_host()));
}

// A machine that can tell refuses an address of the host's where one of its own belongs, and says which copy it was.
BOOST_AUTO_TEST_CASE(host_addresses_are_distinguished) {
  if constexpr (!std::is_same_v<device, esp::cuda>) {
    alignas(16) float host[3] = {1, 2, 3};
    esp::view<float, esp::shape<3>, device> const v(host);
    BOOST_CHECK_EXCEPTION(v.to_host(), esp::cuda_error, [](esp::cuda_error const& e) {
      return std::string(e.what()).find("to_host") != std::string::npos;
    });
    on_device<float, 3> x;
    BOOST_CHECK_THROW(esp::on_cuda::default_backend<device>().to_host(x.data(), x.data(), sizeof host),
                      esp::cuda_error);
  }
}

// Only the types say where elements are: what the host may read is Stored.
static_assert(!esp::Stored<on_device<float, 3>> && esp::TensorOrView<on_device<float, 3>> && esp::Stored<on_host<3>>);
static_assert(std::is_same_v<esp::device_of<on_device<float, 3>>, device> &&
              std::is_same_v<esp::device_of<on_host<3>>, esp::cpu>);

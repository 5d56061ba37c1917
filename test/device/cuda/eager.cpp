// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE device_cuda_eager
#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include "support/numbers.hpp"
#include "support/test_device.hpp"

using namespace test;

namespace {
/// The same tensor on the device.
template <class T, class S>
esp::tensor<T, S, device> to_device(esp::tensor<T, S> const& x) {
  return x;
}
template <class T, class S>
void check_close(char const* name, esp::tensor<T, S, device> const& got, esp::tensor<T, S> const& expected) {
  std::string const text = difference(got.to_host(), expected, std::is_same_v<T, float> ? 1e-5 : 1e-11);
  BOOST_CHECK_MESSAGE(text.empty(), name << ": " << text);
}

struct gated {
  constexpr auto operator()(auto x, auto w) const { return tanh(x) * w + 1.f; }
};
struct loss_of {
  constexpr auto operator()(auto x, auto w) const { return mean(square(matmul(x, w) - 1.f)); }
};
struct mean_of_cube {
  constexpr auto operator()(auto x) const { return mean(x * x * x); }
};
struct cross_entropy_of {
  constexpr auto operator()(auto scores, auto labels) const {
    return mean(logsumexp<-1>(scores) - pick(scores, labels));
  }
};
struct cross_entropy_of_rows {
  constexpr auto operator()(auto scores, auto labels) const { return cross_entropy(scores, esp::reshape<6>(labels)); }
};
struct several {
  constexpr auto operator()(auto x, auto w) const { return std::tuple{sum<1>(x), matmul(x, w), x}; }
};
struct written_rows {
  constexpr auto operator()(auto x, auto index, auto rows) const { return index_copy<0>(x, index, rows); }
};
}  // namespace

BOOST_AUTO_TEST_CASE(elementwise) {
  auto const a = floats<37, 65>(1), b = floats<37, 65>(2);
  auto const row = floats<65>(3);
  auto const x = to_device(a), y = to_device(b);
  auto const r = to_device(row);
  esp::tensor<float, esp::shape<37, 65>, device> const z = x * y + r;
  check_close("x * y + row", z, esp::evaluate(a * b + row));
  check_close("chain", esp::evaluate(tanh(x) * exp(-y) + 2.5f * x / 3.f),
              esp::evaluate(tanh(a) * exp(-b) + 2.5f * a / 3.f));
}

BOOST_AUTO_TEST_CASE(numbers_that_change_between_calls) {
  auto const a = floats<100>(1);
  auto x = to_device(a);
  esp::tensor<float, esp::shape<100>, device> y;
  for (float const scale : {0.5f, -2.f, 7.f}) {
    y = x * scale + (scale - 1.f);
    check_close("scaled", y, esp::evaluate(a * scale + (scale - 1.f)));
  }
}

BOOST_AUTO_TEST_CASE(in_place_and_overlapping) {
  auto a = floats<20, 20>(1);
  auto x = to_device(a);
  float* const storage = x.data();
  x = x * 2.f + x;
  a = a * 2.f + a;
  check_close("in place", x, a);
  x = matmul(x, x);
  a = matmul(a, a);
  check_close("a product of itself", x, a);
  BOOST_TEST(x.data() == storage);
}

// Slices are written to a cache where it is.
BOOST_AUTO_TEST_CASE(slices_in_place) {
  auto const a = floats<6, 8>(1), rows = floats<6, 8>(2);
  esp::tensor<std::int32_t, esp::shape<2>> const at{4, 1};
  esp::tensor<float, esp::shape<2, 8>> const source{esp::slice<0, 2, 4>(rows)};
  esp::tensor<float, esp::shape<6, 8>> const expected = index_copy<0>(a, at, source);
  auto x = to_device(a), y = to_device(rows);
  auto const index = to_device(at);
  auto const from = to_device(source);
  esp::compiled write{written_rows{}, x, index, from};
  write(std::as_const(x), index, from, y);
  check_close("another result", y, expected);
  check_close("x is kept", x, a);
  write(x, index, from, x);
  check_close("in place", x, expected);
}

BOOST_AUTO_TEST_CASE(temporaries_live_as_long_as_the_expression) {
  auto const a = floats<33>(1);
  auto const e = to_device(a) * 2.f + to_device(a);
  auto const copy = e;
  check_close("owned", esp::evaluate(copy), esp::evaluate(a * 2.f + a));
}

BOOST_AUTO_TEST_CASE(reductions_and_products) {
  auto const a = floats<33, 40>(1);
  auto const b = floats<40, 9>(2);
  auto const x = to_device(a);
  auto const w = to_device(b);
  check_close("rows", esp::evaluate(sum<1>(x)), esp::evaluate(sum<1>(a)));
  check_close("columns", esp::evaluate(mean<0>(x)), esp::evaluate(mean<0>(a)));
  check_close("softmax", esp::evaluate(softmax<-1>(x)), esp::evaluate(softmax<-1>(a)));
  check_close("matmul", esp::evaluate(matmul(x, w)), esp::evaluate(matmul(a, b)));
  esp::tensor<float, esp::shape<>, device> const total = sum(x);
  esp::tensor<float, esp::shape<>> const expected = sum(a);
  BOOST_TEST(static_cast<float>(total) == static_cast<float>(expected), boost::test_tools::tolerance(1e-4f));
}

BOOST_AUTO_TEST_CASE(doubles_stay_doubles) {
  auto const a = doubles<17, 5>(1), b = doubles<17, 5>(2);
  auto const z = esp::evaluate(to_device(a) / (1.5 + to_device(b) * to_device(b)));
  static_assert(std::is_same_v<decltype(z)::value_type, double> && std::is_same_v<decltype(z)::device_type, device>);
  check_close("doubles", z, esp::evaluate(a / (1.5 + b * b)));
}

BOOST_AUTO_TEST_CASE(comparisons_become_flags) {
  auto const a = floats<50>(1), b = floats<50>(2);
  esp::tensor<bool, esp::shape<50>, device> const greater = to_device(a) > to_device(b);
  esp::tensor<bool, esp::shape<50>> const expected = a > b;
  BOOST_TEST((greater.to_host() == expected));
  check_close("where", esp::evaluate(where(greater, to_device(a), to_device(b))), esp::evaluate(where(expected, a, b)));
}

BOOST_AUTO_TEST_CASE(gradients) {
  auto const a = floats<12, 20>(1);
  auto const b = floats<20, 6>(2);
  auto const x = to_device(a);
  auto const w = to_device(b);
  auto const [dx, dw] = esp::grad(loss_of{})(x, w);
  auto const [da, db] = esp::grad(loss_of{})(a, b);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(dx)>, esp::tensor<float, esp::shape<12, 20>, device>>);
  check_close("dx", dx, da);
  check_close("dw", dw, db);
  check_close("only w", esp::grad<1>(loss_of{})(x, w), db);
  check_close("x held", esp::grad(loss_of{})(esp::constant(x), w), db);
}

// The value is a number on the host, as on the processor.
BOOST_AUTO_TEST_CASE(value_and_gradient) {
  auto const a = floats<300>(1);
  auto const got = esp::value_and_grad(mean_of_cube{})(to_device(a));
  auto const expected = esp::value_and_grad(mean_of_cube{})(a);
  static_assert(std::is_same_v<decltype(got.first), float>);
  BOOST_TEST(got.first == expected.first, boost::test_tools::tolerance(1e-4f));
  check_close("gradient", got.second, expected.second);
}

BOOST_AUTO_TEST_CASE(labels_have_no_gradient) {
  auto const scores = floats<6, 10>(1);
  esp::tensor<std::int32_t, esp::shape<6>> const classes{3, 1, 4, 1, 5, 9};
  auto const got = esp::value_and_grad(cross_entropy_of{})(to_device(scores), to_device(classes));
  auto const expected = esp::value_and_grad(cross_entropy_of{})(scores, classes);
  BOOST_TEST(got.first == expected.first, boost::test_tools::tolerance(1e-5f));
  check_close("scores", got.second, expected.second);
}

// Labels are read as the integers they are, under whatever shape: one kernel for the loss and its gradient, one that
// finishes the mean, none that writes labels as numbers.
BOOST_AUTO_TEST_CASE(labels_behind_a_reshape) {
  auto const scores = floats<6, 10>(1);
  esp::tensor<std::int32_t, esp::shape<2, 3>> const classes{{3, 1, 4}, {1, 5, 9}};
  auto const z = to_device(scores);
  auto const labels = to_device(classes);
  auto const gradient = [&] { return esp::value_and_grad<0>(cross_entropy_of_rows{})(z, labels); };
  auto const expected = esp::value_and_grad<0>(cross_entropy_of_rows{})(scores, classes);
  auto const got = gradient();
  BOOST_TEST(got.first == expected.first, boost::test_tools::tolerance(1e-5f));
  check_close("scores", got.second, expected.second);
  [&](auto& m) {
    if constexpr (backend_counts_launches<std::remove_cvref_t<decltype(m)>>) {
      auto const before = m.launches();
      gradient();
      BOOST_TEST(m.launches() - before == 2);
    }
  }(esp::on_cuda::default_backend<device>());
}

BOOST_AUTO_TEST_CASE(pullback_of_any_shape) {
  auto const a = floats<9, 11>(1), b = floats<9, 11>(2), dy = floats<9, 11>(3);
  auto const x = to_device(a), w = to_device(b);
  auto const [dx, dw] = esp::vjp(gated{})(x, w)(to_device(dy));
  auto const [da, db] = esp::vjp(gated{})(a, b)(dy);
  check_close("dx", dx, da);
  check_close("dw", dw, db);
}

// A gradient inside an expression, and the gradient of a gradient.
BOOST_AUTO_TEST_CASE(gradients_as_expressions) {
  auto const a = floats<30>(1);
  auto const x = to_device(a);
  check_close("step", esp::evaluate(x - 0.1f * esp::grad<0>(mean_of_cube{})(x * 2.f)),
              esp::evaluate(a - 0.1f * esp::grad<0>(mean_of_cube{})(a * 2.f)));
}

BOOST_AUTO_TEST_CASE(compiled_functions) {
  auto const a = floats<33, 20>(1);
  auto const b = floats<20, 9>(2);
  auto const x = to_device(a);
  auto const w = to_device(b);
  esp::compiled run{several{}, x, w};
  esp::tensor<float, esp::shape<33>, device> s;
  esp::tensor<float, esp::shape<33, 9>, device> y;
  esp::tensor<float, esp::shape<33, 20>, device> same;
  for (int again = 0; again < 2; ++again) {
    run(x, w, s, y, same);
    check_close("sums", s, esp::evaluate(sum<1>(a)));
    check_close("product", y, esp::evaluate(matmul(a, b)));
    BOOST_TEST((same.to_host() == a));
  }
  BOOST_TEST((decltype(run)::kernel_count) > 0);
}

BOOST_AUTO_TEST_CASE(compiled_for_a_device_that_is_named) {
  auto const a = floats<4, 8>(1), b = floats<4, 8>(2);
  auto const x = to_device(a), w = to_device(b);
  esp::compiled run{device{}, gated{}, x, w};
  esp::tensor<float, esp::shape<4, 8>, device> y;
  run(x, esp::view<float const, esp::shape<4, 8>, device>(w), y);
  check_close("y", y, esp::evaluate(tanh(a) * b + 1.f));
}

// The workspace that expressions share grows, and what was computed before stays.
BOOST_AUTO_TEST_CASE(a_larger_workspace_than_before) {
  auto const small = floats<8, 8>(1);
  auto const large = floats<120, 120>(2);
  auto const x = to_device(small);
  auto const first = esp::evaluate(matmul(matmul(x, x), x));
  auto const y = to_device(large);
  auto const second = esp::evaluate(matmul(matmul(y, y), y));
  auto const third = esp::evaluate(matmul(matmul(x, x), x));
  check_close("small", first, esp::evaluate(matmul(matmul(small, small), small)));
  check_close("large", second, esp::evaluate(matmul(matmul(large, large), large)));
  BOOST_TEST((third.to_host() == first.to_host()));
}

// Workspace and numbers have a place that is kept: the second time, nothing is allocated.
BOOST_AUTO_TEST_CASE(repeated_expressions_do_not_allocate) {
  auto const a = floats<40, 30>(1);
  auto const x = to_device(a);
  esp::tensor<float, esp::shape<40, 40>, device> y;
  esp::compiled run{several{}, x, to_device(floats<30, 9>(2))};
  y = matmul(x, transpose(x)) * 2.f;
  long const before = device_allocations();
  for (float const scale : {1.f, 2.f, 3.f}) y = matmul(x, transpose(x)) * scale;
  BOOST_TEST(device_allocations() == before);
  check_close("last", y, esp::evaluate(matmul(a, transpose(a)) * 3.f));
}

namespace {
/// As float on the processor: numbers of 16 bits widen where they are loaded, and are rounded where they are stored.
template <class Narrow>
void check_narrow(char const* name) {
  using device_narrow = esp::tensor<Narrow, esp::shape<24, 16>, device>;
  auto const a = esp::tensor<float, esp::shape<24, 16>>(esp::tensor<Narrow, esp::shape<24, 16>>(floats<24, 16>(1)));
  auto const b = esp::tensor<float, esp::shape<24, 16>>(esp::tensor<Narrow, esp::shape<24, 16>>(floats<24, 16>(2)));
  device_narrow const x(to_device(a)), w(to_device(b));
  auto const widened = [](auto const& narrow) {
    return esp::tensor<float, typename std::remove_cvref_t<decltype(narrow)>::shape_type, device>(narrow);
  };
  auto const check = [&](char const* what, auto const& got, auto const& expected) {
    std::string const text = difference(widened(got).to_host(), expected, 2e-2);
    BOOST_CHECK_MESSAGE(text.empty(), name << ", " << what << ": " << text);
  };
  check("chain", esp::evaluate(tanh(x) * w + 1.5f), esp::evaluate(tanh(a) * b + 1.5f));
  check("product", esp::evaluate(matmul(x, transpose(w))), esp::evaluate(matmul(a, transpose(b))));
  check("rows", esp::evaluate(sum<1>(x)), esp::evaluate(sum<1>(a)));
  auto const [dx, dw] = esp::vjp(gated{})(x, w)(device_narrow(to_device(a)));
  auto const [da, db] = esp::vjp(gated{})(a, b)(a);
  check("dx", dx, da);
  check("dw", dw, db);
}
}  // namespace

BOOST_AUTO_TEST_CASE(halves) { check_narrow<esp::half>("half"); }
BOOST_AUTO_TEST_CASE(bfloat16s) { check_narrow<esp::bfloat16>("bfloat16"); }

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_index_copy
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <espalier/eager/compiled.hpp>
#include <espalier/eager/vmap.hpp>
#include <espalier/expression/scan.hpp>

#include "support/check_pullback.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
template <int Axis>
struct copied {
  constexpr auto operator()(auto x, auto index, auto source) const {
    return index_copy<Axis>(x * x, index, source * source * source);
  }
};
template <int Axis>
struct copied_to {
  constexpr auto operator()(auto x, auto index, auto source) const { return index_copy<Axis>(x, index, source); }
};

/// x is read again behind the copy: the sum is that of the x of the caller.
template <int Axis>
struct read_again {
  constexpr auto operator()(auto x, auto index, auto source) const {
    auto const y = index_copy<Axis>(x, index, source);
    return std::tuple{y, sum<Axis>(y) * 2 - sum<Axis>(x)};
  }
};
template <int Axis>
struct less_x {
  constexpr auto operator()(auto x, auto index, auto source) const { return index_copy<Axis>(x, index, source) - x; }
};
/// Slices of x itself are copied to other positions of x.
struct rows_moved {
  constexpr auto operator()(auto x, auto index) const { return index_copy<0>(x, index, esp::slice<0, 0, 2>(x)); }
};
struct rows_permuted {
  constexpr auto operator()(auto x, auto index) const { return index_copy<0>(x, index, x); }
};
struct copied_twice {
  constexpr auto operator()(auto x, auto index, auto source, auto other) const {
    return index_copy<0>(index_copy<0>(x, index, source), other, source * 2);
  }
};
struct into_zeros {
  constexpr auto operator()(auto x, auto index, auto source) const {
    auto const y = index_copy<1>(x * 0, index, source);
    return exp(index_copy<1>(exp(y), index, source * source)) + y;
  }
};

template <class X, class I, class S>
X reference(X x, I const& at, S const& source, int outer, int extent, int inner) {
  int const picks = static_cast<int>(at.size());
  for (bool const adds : {false, true})
    for (int o = 0; o < outer; ++o)
      for (int k = 0; k < picks; ++k)
        for (int i = 0; i < inner; ++i) {
          auto& y = x[(o * extent + at[k]) * inner + i];
          y = adds ? y + source[(o * picks + k) * inner + i] : 0;
        }
  return x;
}

constexpr tensor<float, shape<3, 2>> table{{1, 2}, {3, 4}, {5, 6}};
static_assert(tensor<float, shape<3, 2>>{index_copy<0>(table, tensor<std::int32_t, shape<2>>{2, 0},
                                                       tensor<float, shape<2, 2>>{{10, 20}, {30, 40}})} ==
              tensor<float, shape<3, 2>>{{30, 40}, {3, 4}, {10, 20}});
static_assert(tensor<float, shape<3, 2>>{index_copy<-1>(table, tensor<std::int32_t, shape<1>>{1},
                                                        tensor<float, shape<3, 1>>{{7}, {8}, {9}})} ==
              tensor<float, shape<3, 2>>{{1, 7}, {3, 8}, {5, 9}});
// Slices of equal index are summed.
static_assert(tensor<float, shape<3, 2>>{index_copy<0>(table, tensor<std::int32_t, shape<3>>{1, 0, 1},
                                                       tensor<float, shape<3, 2>>{{1, 2}, {3, 4}, {10, 20}})} ==
              tensor<float, shape<3, 2>>{{3, 4}, {11, 22}, {5, 6}});
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  auto const to = doubles<3, 7, 5>(1);
  auto const from = doubles<3, 4, 5>(2);
  tensor<std::int32_t, shape<4>> const at{6, 0, 3, 2};
  tensor<double, shape<3, 7, 5>> const y = index_copy<1>(to, at, from);
  tensor<double, shape<3, 7, 5>> expected = to;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 5; ++c) expected(a, at[b], c) = from(a, b, c);
  check_close("index_copy", y, expected);
  // Infinite numbers of one side do not reach the other.
  double const infinite = std::numeric_limits<double>::infinity();
  tensor<double, shape<3>> const z = index_copy<0>(tensor<double, shape<3>>{infinite, 1, 2},
                                                   tensor<std::int32_t, shape<1>>{0}, tensor<double, shape<1>>{5});
  BOOST_TEST((z == tensor<double, shape<3>>{5, 1, 2}));
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("first axis", copied<0>{}, floats<5, 9>(1), tensor<std::int32_t, shape<2>>{4, 1}, floats<2, 9>(3));
  check_kernels("middle axis", copied<1>{}, doubles<3, 4, 5>(1), tensor<std::int32_t, shape<3>>{3, 0, 1},
                doubles<3, 3, 5>(3));
  check_kernels("one slice", copied_to<2>{}, floats<1, 2, 6, 4>(1), tensor<std::int32_t, shape<1>>{5},
                floats<1, 2, 1, 4>(3));
  check_kernels("equal indices", copied_to<1>{}, doubles<2, 6, 4>(1), tensor<std::int32_t, shape<5>>{5, 1, 5, 5, 1},
                doubles<2, 5, 4>(3));
  check_kernels("last axis", copied<-1>{}, floats<3, 4, 7>(1), tensor<std::int32_t, shape<3>>{6, 0, 6},
                floats<3, 4, 3>(3));
  check_kernels("an element", copied_to<0>{}, doubles<9>(1), tensor<std::int32_t, shape<1>>{4}, doubles<1>(3));
  check_kernels("read again", less_x<1>{}, floats<2, 6, 3>(1), tensor<std::int32_t, shape<2>>{5, 1},
                floats<2, 2, 3>(3));
  check_kernels("rows of x", rows_moved{}, floats<6, 8>(1), tensor<std::int32_t, shape<2>>{5, 1});
  check_kernels("all rows of x", rows_permuted{}, floats<4, 8>(1), tensor<std::int32_t, shape<4>>{2, 3, 1, 0});
  check_kernels("copied twice", copied_twice{}, floats<6, 8>(1), tensor<std::int32_t, shape<2>>{5, 1}, floats<2, 8>(3),
                tensor<std::int32_t, shape<2>>{1, 4});
  check_kernels("values that die", into_zeros{}, floats<3, 5, 2>(1), tensor<std::int32_t, shape<2>>{4, 0},
                floats<3, 2, 2>(3));
}

BOOST_AUTO_TEST_CASE(gradients) {
  check_pullback("first axis", copied<0>{}, doubles<5, 3>(1), tensor<std::int32_t, shape<2>>{4, 1}, doubles<2, 3>(3));
  check_pullback("one slice", copied<-1>{}, doubles<2, 4>(1), tensor<std::int32_t, shape<1>>{2}, doubles<2, 1>(3));
  check_pullback("equal indices", copied<1>{}, doubles<2, 4, 3>(1), tensor<std::int32_t, shape<3>>{2, 0, 2},
                 doubles<2, 3, 3>(3));
  check_pullback("copied twice", copied_twice{}, doubles<5, 3>(1), tensor<std::int32_t, shape<2>>{4, 1},
                 doubles<2, 3>(3), tensor<std::int32_t, shape<2>>{1, 3});
  check_pullback("rows of x", rows_moved{}, doubles<4, 3>(1), tensor<std::int32_t, shape<2>>{3, 1});
}

namespace {
template <int Samples, class F, class X, class I, class S>
void check_samples(char const* name, F const& of_all, X const& x, I const& at, S const& source) {
  auto const y = of_all(x, at, source);
  auto const slice = [](auto const& all, auto one, int sample) {
    if constexpr (std::remove_cvref_t<decltype(all)>::size() == decltype(one)::size() && Samples != 1) sample = 0;
    for (std::int64_t i = 0; i < one.size(); ++i) one[i] = all[sample * one.size() + i];
    return one;
  };
  for (int b = 0; b < Samples; ++b) {
    tensor<double, shape<3, 4, 2>> const one =
        index_copy<1>(slice(x, tensor<double, shape<3, 4, 2>>{}, b), slice(at, tensor<std::int32_t, shape<2>>{}, b),
                      slice(source, tensor<double, shape<3, 2, 2>>{}, b));
    check_close(name, slice(y, tensor<double, shape<3, 4, 2>>{}, b), one);
  }
}
}  // namespace

BOOST_AUTO_TEST_CASE(samples) {
  using all_indices = tensor<std::int32_t, shape<5, 2>>;
  all_indices const each{{0, 3}, {2, 2}, {1, 0}, {3, 1}, {0, 0}};
  tensor<std::int32_t, shape<2>> const one{3, 1};
  auto const x = doubles<3, 4, 2>(1);
  auto const xs = doubles<5, 3, 4, 2>(2);
  auto const source = doubles<3, 2, 2>(3);
  auto const sources = doubles<5, 3, 2, 2>(4);
  using f = copied_to<1>;
  check_samples<5>("all", esp::vmap(f{}), xs, each, sources);
  check_samples<5>("x", esp::vmap<0>(f{}), xs, one, source);
  check_samples<5>("index", esp::vmap<1>(f{}), x, each, source);
  check_samples<5>("source", esp::vmap<2>(f{}), x, one, sources);
}

BOOST_AUTO_TEST_CASE(indices_outside_the_axis) {
  tensor<float, shape<4>> const zeros{};
  tensor<float, shape<1>> const one{1};
  std::string text;
  try {
    (void)evaluate(index_copy<0>(zeros, tensor<std::int32_t, shape<1>>{4}, one));
  } catch (esp::index_error const& error) {
    text = error.what();
  }
  BOOST_TEST(text == "indices: expected 0 to 3, got 4 at position 0");
}

namespace {
/// The state of a loop is a cache, to which each step writes rows.
template <bool Stacks>
struct in_state {
  constexpr auto operator()(auto cache, auto index, auto rows) const {
    auto const [last, ys] = esp::scan(
        [&](auto s, auto row) {
          auto const next = index_copy<0>(s, index, row);
          return std::tuple{next, sum<0>(next * next)};
        },
        cache, rows);
    if constexpr (Stacks) return ys;
    else return last;
  }
};
struct between_states {
  constexpr auto operator()(auto cache, auto index, auto rows) const {
    auto const [last, ys] = esp::scan(
        [&](auto s, auto row) {
          auto const next = index_copy<0>(s * 0.5, index, row * row);
          return std::tuple{tanh(next) + s, next};
        },
        cache, rows);
    return ys + last;
  }
};
/// No state depends on the copies: they are one for all steps.
struct of_sequences {
  constexpr auto operator()(auto xs, auto index, auto rows) const {
    auto const [last, ys] = esp::scan(
        [&](auto s, auto each) {
          auto const [x, row] = each;
          return std::tuple{s + sum(x), index_copy<0>(x * 2, index, row * row)};
        },
        sum(rows), std::tuple{xs, rows});
    return ys * last;
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(loops) {
  tensor<std::int32_t, shape<2>> const at{3, 1}, equal{2, 2};
  check_kernels("last state", in_state<false>{}, floats<5, 8>(1), at, floats<4, 2, 8>(2));
  check_kernels("a value of each step", in_state<true>{}, floats<5, 3>(1), at, floats<4, 2, 3>(2));
  check_kernels("values that die", between_states{}, floats<5, 8>(1), equal, floats<4, 2, 8>(2));
  check_pullback("last state", in_state<false>{}, doubles<5, 3>(1), at, doubles<3, 2, 3>(2));
  check_pullback("a value of each step", in_state<true>{}, doubles<4, 3>(1), at, doubles<3, 2, 3>(2));
  check_pullback("values that die", between_states{}, doubles<4, 3>(1), equal, doubles<3, 2, 3>(2));
  check_kernels("sequences", of_sequences{}, floats<3, 5, 8>(1), at, floats<3, 2, 8>(2));
  check_pullback("sequences", of_sequences{}, doubles<3, 4, 2>(1), equal, doubles<3, 2, 2>(2));
}

// A cache that a step reads and returns is updated where it is.
BOOST_AUTO_TEST_CASE(in_place) {
  tensor<float, shape<600, 4>> cache{};
  tensor<std::int32_t, shape<1>> at{};
  tensor<float, shape<1, 4>> row{{1, 2, 3, 4}};
  esp::compiled update{copied_to<0>{}, cache, at, row};
  for (int i : {400, 1}) {
    at[0] = i;
    update(cache, at, row, cache);
  }
  for (int i = 0; i < 600; ++i)
    for (int k = 0; k < 4; ++k) BOOST_TEST(cache(i, k) == (i == 400 || i == 1 ? static_cast<float>(k + 1) : 0.0f));
}

namespace {
/// f(x, index, source) with a result that is x equals that with another result.
template <int Outer, int Extent, int Inner, class F, class X, class I, class S>
void check_aliased(char const* name, F const& f, X x, I const& at, S const& source) {
  X const expected = reference(x, at, source, Outer, Extent, Inner);
  X y{};
  esp::compiled step{f, x, at, source};
  step(std::as_const(x), at, source, y);
  check_close(name, y, expected);
  step(x, at, source, x);
  check_close(name, x, expected);
}
}  // namespace

BOOST_AUTO_TEST_CASE(results_that_are_x) {
  tensor<std::int32_t, shape<1>> const one{3};
  tensor<std::int32_t, shape<3>> const three{3, 0, 3};
  check_aliased<1, 5, 9>("axis 0", copied_to<0>{}, floats<5, 9>(1), three, floats<3, 9>(2));
  check_aliased<3, 4, 17>("axis 1", copied_to<1>{}, doubles<3, 4, 17>(1), one, doubles<3, 1, 17>(2));
  check_aliased<12, 5, 1>("last axis", copied_to<2>{}, doubles<3, 4, 5>(1), three, doubles<3, 4, 3>(2));
}

// What reads the old x behind the copy, or is written from x itself, gets the elements that x had.
BOOST_AUTO_TEST_CASE(results_that_are_x_and_old_elements) {
  auto x = floats<6, 8>(1);
  auto const source = floats<2, 8>(2);
  tensor<std::int32_t, shape<2>> const at{5, 0};
  auto const before = x;
  tensor<float, shape<6, 8>> const y = index_copy<0>(x, at, source);
  tensor<float, shape<8>> const sums = sum<0>(y) * 2 - sum<0>(x);
  tensor<float, shape<8>> got{};
  esp::compiled again{read_again<0>{}, x, at, source};
  again(x, at, source, x, got);
  check_close("x", x, y);
  check_close("sums", got, sums);

  x = before;
  tensor<float, shape<6, 8>> const moved = rows_moved{}(before, at);
  esp::compiled move_rows{rows_moved{}, x, at};
  move_rows(x, at, x);
  check_close("rows of x", x, moved);

  x = before;
  tensor<std::int32_t, shape<6>> const order{5, 0, 1, 4, 3, 2};
  tensor<float, shape<6, 8>> const permuted = rows_permuted{}(before, order);
  esp::compiled permute_rows{rows_permuted{}, x, order};
  permute_rows(x, order, x);
  check_close("all rows of x", x, permuted);

  x = before;
  tensor<std::int32_t, shape<2>> const others{1, 5};
  tensor<float, shape<6, 8>> const twice = copied_twice{}(before, at, source, others);
  esp::compiled copy_twice{copied_twice{}, x, at, source, others};
  copy_twice(x, at, source, others, x);
  check_close("twice", x, twice);
}

namespace {
/// The parts of a kernel, the last first, give the bits of the whole kernel, also in place.
template <class X, class Source, bool ByOuter>
void check_parts(std::vector<std::int32_t> const& at) {
  using index = shape<1, Source::value.at[1], 1>;
  using kernel = esp::on_cpu::index_copy_kernel<float, X, index, Source, 1, esp::on_cpu::default_arch>;
  static_assert(kernel::parts > 1 && kernel::by_outer == ByOuter);
  std::vector<float> x(X::size), source(Source::size), y(X::size), z(X::size);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1009) * 0.1f;
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i % 997) * -0.3f;
  kernel::run(x.data(), at.data(), source.data(), y.data());
  for (int part = kernel::parts - 1; part >= 0; --part)
    kernel::part(x.data(), at.data(), source.data(), z.data(), nullptr, part);
  BOOST_TEST((z == y));
  for (int part = kernel::parts - 1; part >= 0; --part)
    kernel::part(x.data(), at.data(), source.data(), x.data(), nullptr, part);
  BOOST_TEST((x == y));
}
}  // namespace

BOOST_AUTO_TEST_CASE(parts) {
  check_parts<shape<2, 30000, 2>, shape<2, 5, 2>, false>({29999, 0, 12000, 29999, 7});
  check_parts<shape<4, 15000, 2>, shape<4, 3, 2>, true>({14999, 0, 0});
  check_parts<shape<2, 30000, 2>, shape<2, 1, 2>, false>({20000});
}

// The source may be the result, and the result may begin inside x: copies replace what overlaps.
BOOST_AUTO_TEST_CASE(results_that_overlap) {
  tensor<std::int32_t, shape<3>> const at{2, 0, 1};
  auto x = floats<3, 4>(1);
  auto source = floats<3, 4>(2);
  esp::compiled f{copied_to<0>{}, x, at, source};
  auto const expected = reference(x, at, source, 1, 3, 4);
  f(x, at, source, source);
  check_close("source", source, expected);
  std::array<float, 16> memory{};
  for (std::size_t i = 0; i < 16; ++i) memory[i] = static_cast<float>(i);
  tensor<float, shape<3, 4>> old{};
  for (int i = 0; i < 12; ++i) old[i] = static_cast<float>(i);
  source = floats<3, 4>(3);
  f(esp::view<float const, shape<3, 4>>{memory.data()}, at, source, esp::view<float, shape<3, 4>>{memory.data() + 4});
  tensor<float, shape<3, 4>> shifted{};
  std::memcpy(shifted.data(), memory.data() + 4, sizeof(float) * 12);
  check_close("shifted", shifted, reference(old, at, source, 1, 3, 4));
}

#if __has_include(<sys/mman.h>)
// Pages that hold none of the slices are protected: reading or writing one would end this program.
BOOST_AUTO_TEST_CASE(other_slices_are_not_touched) {
  std::size_t const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr int rows = 64, columns = 16384;  // 64 KiB each: a multiple of all pages
  BOOST_REQUIRE(columns * sizeof(float) % page == 0);
  std::size_t const row = columns * sizeof(float), bytes = rows * row;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  BOOST_REQUIRE(memory != MAP_FAILED);
  esp::view<float, shape<rows, columns>> const cache{static_cast<float*>(memory)};
  tensor<std::int32_t, shape<2>> const at{17, 40};
  tensor<float, shape<2, columns>> source{};
  for (std::int64_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i % 99);
  esp::compiled update{copied_to<0>{}, cache, at, source};
  BOOST_REQUIRE(mprotect(memory, bytes, PROT_NONE) == 0);
  for (int k : {0, 1})
    BOOST_REQUIRE(
        mprotect(static_cast<char*>(memory) + static_cast<std::size_t>(at[k]) * row, row, PROT_READ | PROT_WRITE) == 0);
  update(cache, at, source, cache);
  bool equal = true;
  for (int k : {0, 1})
    for (int i = 0; i < columns; ++i) equal = equal && cache(at[k], i) == source(k, i);
  BOOST_TEST(equal);
  munmap(memory, bytes);
}
#endif

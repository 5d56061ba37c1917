// SPDX-License-Identifier: BSL-1.0
// Expressions over long vectors: sum(a b + exp(c)), with its gradient, sum, logsumexp; and a copy, to see what the
// machine's memory gives.
#include "expressions.hpp"

#include <espalier/eager/compiled.hpp>
#include <espalier/operation/operation.hpp>

#include <cstring>

#include "espalier_side.hpp"

namespace esp = espalier;

namespace {

struct energy {
  constexpr auto operator()(auto a, auto b, auto c) const { return sum(a * b + exp(c)); }
};
struct energy_and_gradient {
  constexpr auto operator()(auto a, auto b, auto c) const {
    return std::tuple{energy{}(a, b, c), esp::grad<0>(energy{})(a, b, c), esp::grad<1>(energy{})(a, b, c),
                      esp::grad<2>(energy{})(a, b, c)};
  }
};
struct sum_of {
  constexpr auto operator()(auto x) const { return sum(x); }
};
struct logsumexp_of {
  constexpr auto operator()(auto x) const { return logsumexp(x); }
};

template <int N>
using vector = esp::shape<N>;
using scalar = esp::shape<>;
using bench::million, bench::thousand;

template <class F, class In, class Out>
struct row_of {
  bench::row row;
  bench::implementation own;
  row_of(std::string const& name, std::vector<bench::input> in, std::vector<bench::output> out, double bytes,
         double flops)
      : row{name, std::move(in), std::move(out), bytes, flops}, own{name, "espalier", [](bench::operands o) {
                                                                      return bench::compiled_work<F, In, Out>(o);
                                                                    }} {}
};
template <int N>
using in3 = bench::in<vector<N>, vector<N>, vector<N>>;
template <int N>
using out4 = bench::out<scalar, vector<N>, vector<N>, vector<N>>;

row_of<energy, in3<million>, bench::out<scalar>> const energy_row{
    "sum_ab_exp_c/1M", {{million}, {million}, {million}}, {{1}}, 12. * million, 4. * million};
row_of<energy_and_gradient, in3<million>, out4<million>> const gradient_row{"sum_ab_exp_c_gradient/1M",
                                                                            {{million}, {million}, {million}},
                                                                            {{1}, {million}, {million}, {million}},
                                                                            24. * million,
                                                                            4. * million};
row_of<energy_and_gradient, in3<thousand>, out4<thousand>> const short_gradient_row{
    "sum_ab_exp_c_gradient/1000",
    {{thousand}, {thousand}, {thousand}},
    {{1}, {thousand}, {thousand}, {thousand}},
    24. * thousand,
    4. * thousand};
row_of<sum_of, bench::in<vector<million>>, bench::out<scalar>> const sum_row{
    "sum/1M", {{million, 0, 1}}, {{1}}, 4. * million, million};
row_of<logsumexp_of, bench::in<vector<million>>, bench::out<scalar>> const logsumexp_row{
    "logsumexp/1M", {{million, -4, 4}}, {{1}}, 4. * million, 2. * million};

/// The machine: memcpy of as many bytes as a cache level takes, and of more than all take.
struct copy_row {
  bench::row row;
  bench::implementation memcpy_;
  copy_row(std::string const& name, std::size_t count)
      : row{name, {{count}}, {{count}}, 8. * static_cast<double>(count), 0},
        memcpy_{name, "memcpy",
                [count](bench::operands o) -> bench::work {
                  return {bench::repeated([=] { std::memcpy(o.out[0], o.in[0], count * sizeof(float)); })};
                },
                bench::library} {}
};
copy_row const copies[] = {
    {"copy/8KiB", 1 << 11}, {"copy/256KiB", 1 << 16}, {"copy/4MiB", 1 << 20}, {"copy/128MiB", 1 << 25}};

}  // namespace

// SPDX-License-Identifier: BSL-1.0
// Programs whose elements are stored in 16 bits and computed in float, against the CPU in float.
#define BOOST_TEST_MODULE device_cuda_half
#include <boost/test/unit_test.hpp>

#include <espalier/storage/half.hpp>

#include "support/check_on_cuda.hpp"

using namespace test;

namespace {
inline constexpr auto layer_norm = [](auto x, auto weight, auto bias) {
  return relu(esp::normalize<-1>(x, 1e-5) * weight + bias);
};
inline constexpr auto batch_norm = [](auto x, auto weight, auto bias) {
  return esp::normalize<0>(x, 1e-5) * weight + bias;
};
// What is stored between the product and the norm is in the range of 16 bits.
inline constexpr auto dense_norm = [](auto x, auto weight) { return esp::rms_normalize<-1>(matmul(x, weight), 1e-5); };
inline constexpr auto dense = [](auto x, auto weight, auto bias) { return square(matmul(x, weight) * 0.25 + bias); };
inline constexpr auto chain = [](auto x, auto y) { return exp(x) * y - x / (1 + y * y); };
inline constexpr auto classified = [](auto x) { return esp::softmax(x); };

/// Value and gradients of f with elements of type H equal those of the CPU in float, from the same 16-bit numbers, but
/// for the rounding of results. The numbers are between least and largest.
template <class H, class F, class... S>
void check_range(char const* name, double least, double largest, F, S...) {
  using Program = on_both::program<F, esp::tensor<float, S>...>;
  using Y = on_both::result_shape<F, esp::tensor<float, S>...>;
  constexpr auto const& p = espalier::plan::graph_of<Program>;
  std::vector<std::vector<H>> stored;
  std::vector<std::vector<float>> numbers_of;
  int seed = 1;
  auto const add_random = [&]<class X>(X) {
    auto const x = numbers<float, X>(static_cast<std::uint64_t>(seed++), least, largest);
    stored.emplace_back();
    numbers_of.emplace_back();
    for (float e : x) {
      stored.back().push_back(static_cast<H>(e));
      numbers_of.back().push_back(static_cast<float>(stored.back().back()));
    }
  };
  (add_random(S{}), ...);
  add_random(Y{});
  auto const run = [&]<class T>(std::vector<std::vector<T>>& arguments, auto&& runner) {
    std::vector<void*> base(static_cast<std::size_t>(esp::plan::base::count));
    for (std::size_t i = 0; i < arguments.size(); ++i)
      base[static_cast<std::size_t>(esp::plan::base::arguments) + i] = arguments[i].data();
    std::vector<std::vector<T>> results;
    for (int i = 0; i < p.output_count; ++i)
      results.emplace_back(static_cast<std::size_t>(p.nodes[p.outputs[i].id].shape.size()));
    for (int i = 0; i < p.output_count; ++i)
      base[static_cast<std::size_t>(esp::plan::base::results + p.outputs[i].index)] =
          results[static_cast<std::size_t>(i)].data();
    runner(base.data());
    return results;
  };
  auto const expected = run(numbers_of, [](void** base) {
    esp::tensor<float, esp::shape<espalier::plan::plan_of<Program>.memory.workspace + 16>> workspace;
    base[esp::plan::base::workspace] = workspace.data();
    espalier::on_cpu::run<Program, float>(base);
  });
  auto const got = run(stored, [](void** base) { run_on_kernel_backend<Program, H>(base); });
  for (std::size_t i = 0; i < got.size(); ++i) {
    std::vector<float> const as_float(got[i].begin(), got[i].end());
    std::string const text = on_both::first_difference(as_float.data(), expected[i].data(),
                                                       static_cast<std::int64_t>(as_float.size()), 2e-2);
    BOOST_CHECK_MESSAGE(text.empty(), name << ", result " << i << ": " << text);
  }
}
template <class H, class F, class... S>
void check_stored_as(char const* name, F f, S... shapes) {
  check_range<H>(name, 0.25, 1.5, f, shapes...);
}
template <class H>
void check_all() {
  check_stored_as<H>("layer norm", layer_norm, esp::shape<9, 64>{}, esp::shape<64>{}, esp::shape<64>{});
  check_stored_as<H>("layer norm of odd rows", layer_norm, esp::shape<5, 33>{}, esp::shape<33>{}, esp::shape<33>{});
  check_stored_as<H>("batch norm", batch_norm, esp::shape<32, 24>{}, esp::shape<24>{}, esp::shape<24>{});
  check_stored_as<H>("dense", dense, esp::shape<6, 8>{}, esp::shape<8, 10>{}, esp::shape<10>{});
  check_stored_as<H>("norm of a product", dense_norm, esp::shape<6, 8>{}, esp::shape<8, 64>{});
  check_range<H>("layer norm of hundreds", -500, 500, layer_norm, esp::shape<9, 64>{}, esp::shape<64>{},
                 esp::shape<64>{});
  check_range<H>("batch norm of hundreds", -500, 500, batch_norm, esp::shape<32, 24>{}, esp::shape<24>{},
                 esp::shape<24>{});
  check_range<H>("norm of a product of hundreds", -50, 50, dense_norm, esp::shape<6, 8>{}, esp::shape<8, 64>{});
  check_stored_as<H>("chain", chain, esp::shape<3, 7>{}, esp::shape<3, 7>{});
  check_stored_as<H>("softmax", classified, esp::shape<4, 40>{});
}
}  // namespace

BOOST_AUTO_TEST_CASE(half_precision) { check_all<esp::half>(); }
BOOST_AUTO_TEST_CASE(bfloat16_numbers) { check_all<esp::bfloat16>(); }

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE expression_mode
#include <boost/test/unit_test.hpp>

#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>
#include <espalier/tracing/trace.hpp>

#include <espalier/expression/mode.hpp>

using namespace espalier;

namespace {
using s = shape<2, 3>;
using matrix = tensor<float, s>;
using value = traced<s>;
}  // namespace

BOOST_AUTO_TEST_CASE(formulas_for_two_modes) {
  matrix x{}, other{};
  tensor<float, shape<3>> row{};
  auto const y = by_mode(
      x, [&] { return x * 2.0f; }, [&] { return other * 3.0f; });
  BOOST_TEST(y.a.data == other.data());  // a formula of tensors is evaluated
  using misfit = decltype(by_mode(
      x, [&] { return x * 2.0f; }, [&] { return row * 2.0f; }));
  static_assert(std::is_same_v<misfit, invalid<same_shape<s, shape<3>>>>);
  constexpr value unowned{};  // depends on nothing that a program owns
  static_assert(by_mode(
                    unowned,
                    [] {
                      return value{nullptr, 1};
                    },
                    [] {
                      return value{nullptr, 2};
                    })
                    .id == 2);
}

BOOST_AUTO_TEST_CASE(updates_keep_the_shape_of_their_buffer) {
  constexpr buffer<shape<3>, void> running{};
  constexpr traced<shape<3>> fit{};
  constexpr value y{nullptr, 5};
  static_assert(with_update(y, running, fit).id == 5);
  static_assert(std::is_same_v<decltype(with_update(y, running, y)), invalid<same_shape<shape<3>, s>>>);
}

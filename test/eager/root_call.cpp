// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_root_call
#include <boost/hana/define_struct.hpp>
#include <boost/test/unit_test.hpp>
#include <espalier.hpp>

namespace esp = espalier;
using vector = esp::tensor<double, esp::shape<3>>;
using one_number = esp::tensor<double, esp::shape<>>;
using indices = esp::tensor<std::int32_t, esp::shape<3>>;

template <class Position, class Velocity>
struct motion {
  Position position;
  Velocity velocity;
};
template <class First, class Second>
struct adapted {
  BOOST_HANA_DEFINE_STRUCT(adapted, (First, first), (Second, second));
};

inline constexpr auto energy = [](auto m, auto t) { return sum(square(m.position * m.velocity - t)); };
inline constexpr auto cubic = [](auto m, auto t) { return sum(m.position * m.position * m.velocity * t); };
inline constexpr auto moved = [](auto m, auto t) {
  return motion{m.position * m.velocity, std::tuple{sum(m.position * t)}};
};
vector const first_position{1, 2, 3}, v{2, 0, 1}, t{1, 1, 1};
vector const by_position = 2.0 * (first_position * v - t) * v,
             by_velocity = 2.0 * (first_position * v - t) * first_position;

BOOST_AUTO_TEST_CASE(gradients_of_a_struct_are_a_struct) {
  motion const m{first_position, v};
  auto const g = esp::grad<0>(energy)(m, t);
  static_assert(std::is_same_v<decltype(g), motion<vector, vector> const>);
  BOOST_TEST((g.position == by_position));
  BOOST_TEST((g.velocity == by_velocity));
  auto const [again, by_target] =
      esp::grad(energy)(motion{esp::view<double const, esp::shape<3>>(first_position), v}, t);
  vector const expected = -2.0 * (first_position * v - t);
  BOOST_TEST((again.velocity == by_velocity));
  BOOST_TEST(all_close(by_target, expected));
  constexpr auto constant = esp::grad(energy)(motion{vector{1, 2, 3}, vector{2, 0, 1}}, vector{1, 1, 1});
  static_assert(std::get<0>(constant).position[0] == 4);
}

BOOST_AUTO_TEST_CASE(difference_along_a_direction) {
  double const step = 1e-6;
  vector const direction{0.3, -0.5, 0.2};
  vector const ahead = v + step * direction, behind = v - step * direction;
  auto const [up, up_gradients] = esp::value_and_grad<0>(energy)(motion{first_position, ahead}, t);
  auto const [down, down_gradients] = esp::value_and_grad<0>(energy)(motion{first_position, behind}, t);
  one_number const along = sum(esp::grad<0>(energy)(motion{first_position, v}, t).velocity * direction);
  BOOST_TEST(static_cast<double>(along) == (up - down) / (2 * step), boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(tuples_pairs_arrays_nested_and_adapted) {
  auto const nested = esp::grad([](auto x) {
    auto const [a, b] = x;
    return sum(a * b[0] * b[1]);
  })(std::tuple{first_position, std::array{v, t}});
  static_assert(std::is_same_v<decltype(nested), std::tuple<vector, std::array<vector, 2>> const>);
  vector const product = first_position * t;
  BOOST_TEST((std::get<1>(nested)[0] == product));
  auto const pair = esp::grad([](auto x) { return sum(x.first * x.second); })(std::pair{first_position, v});
  BOOST_TEST((pair.first == v));
  auto const tied = esp::grad([](auto x) { return sum(std::get<0>(x) * std::get<1>(x)); })(std::tie(first_position, v));
  BOOST_TEST((std::get<1>(tied) == first_position));
  auto const hana =
      esp::grad([](auto x) { return sum(x.first * x.second); })(adapted<vector, vector>{first_position, v});
  BOOST_TEST((hana.second == first_position));
}

BOOST_AUTO_TEST_CASE(members_without_a_gradient) {
  auto const held = esp::grad<0>(energy)(motion{first_position, esp::constant(v)}, t);
  static_assert(std::is_same_v<decltype(held), motion<vector, esp::no_gradient> const>);
  BOOST_TEST((held.position == by_position));
  auto const integers = esp::grad<0>(energy)(motion{first_position, indices{2, 0, 1}}, t);
  static_assert(std::is_same_v<decltype(integers), motion<vector, esp::no_gradient> const>);
  BOOST_TEST((integers.position == by_position));
}

BOOST_AUTO_TEST_CASE(values_are_structs) {
  auto const [value, g] = esp::value_and_grad<0>([](auto m, auto target) {
    return motion{energy(m, target), std::tuple{m.position + target, m}};
  })(motion{first_position, v}, t);
  static_assert(std::is_same_v<decltype(value), motion<double, std::tuple<vector, motion<vector, vector>>> const>);
  vector const sum = first_position + t;
  BOOST_TEST(value.position == 6);
  BOOST_TEST((std::get<0>(value.velocity) == sum));
  BOOST_TEST((g.position == by_position));
}

BOOST_AUTO_TEST_CASE(pullbacks_tangents_and_second_order) {
  vector const dy{1, 10, 100};
  motion const m{first_position, v};
  auto const [dm, dt] = esp::vjp(moved)(m, t)(motion{dy, std::tuple{one_number{2}}});
  vector const dp = dy * v + 2.0 * t, dv = dy * first_position, twice = 2.0 * first_position;
  BOOST_TEST((dm.position == dp));
  BOOST_TEST((dm.velocity == dv));
  BOOST_TEST((dt == twice));
  motion const along{vector{1, 0, 0}, vector{0, 1, 0}};
  auto const tangent = esp::jvp<0>(moved)(m, t)(along);
  vector const expected = along.position * v + first_position * along.velocity;
  BOOST_TEST((tangent.position == expected));
  auto const h = esp::hvp<0>(cubic)(m, t)(along);
  vector const first = 2.0 * v * t * along.position + 2.0 * first_position * t * along.velocity,
               second = 2.0 * first_position * t * along.position;
  BOOST_TEST((h.position == first));
  BOOST_TEST((h.velocity == second));
}

BOOST_AUTO_TEST_CASE(inside_of_functions) {
  constexpr auto outer = [](auto a, auto b, auto c) {
    auto const g = esp::grad<0>(energy)(motion{a, b}, c);
    return sum(g.position);
  };
  auto const [by_a, by_b] = esp::grad<0, 1>(outer)(first_position, v, t);
  vector const first = 2.0 * v * v, second = 4.0 * first_position * v - 2.0 * t;
  BOOST_TEST(all_close(by_a, first));
  BOOST_TEST(all_close(by_b, second));
}

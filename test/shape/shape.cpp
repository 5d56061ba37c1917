// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE shape_shape
#include <boost/test/unit_test.hpp>

#include <espalier/shape/shape.hpp>

using namespace espalier;

namespace {
/// A rule whose result is a value, as the relations of ops have it.
struct doubled {
  static constexpr extents value{2, {6, 8}};
};
struct of_nothing {
  static constexpr extents value{0, {}};
};
struct tensor_like {
  using shape_type = shape<4, 2>;
};
}  // namespace

BOOST_AUTO_TEST_CASE(extents_as_values) {
  constexpr extents s{3, {2, 3, 4}};
  static_assert(s.size() == 24 && s[1] == 3 && s.product(1, 3) == 12 && s.product(1, 1) == 1);
  static_assert(extents{0, {}}.size() == 1 && extents{6, {1, 2, 3, 4, 5, 6}}.size() == 720);
  static_assert(extents{2, {65536, 65536}}.size() == std::int64_t{1} << 32);  // beyond int
  static_assert(s == extents{3, {2, 3, 4}} && !(s == extents{3, {2, 3, 5}}) && !(s == extents{2, {2, 3}}));
  static_assert(!(extents{1, {1}} == extents{0, {}}));
  constexpr extents pushed = [] {
    extents r{};
    r.push(7);
    r.push(5);
    return r;
  }();
  static_assert(pushed == extents{2, {7, 5}});
}

BOOST_AUTO_TEST_CASE(shapes_as_types) {
  using s = shape<2, 3, 4>;
  static_assert(s::rank == 3 && s::size == 24 && s::value == extents{3, {2, 3, 4}});
  static_assert(s::extent<0>() == 2 && s::extent<-1>() == 4 && s::extent<-3>() == 2);
  static_assert(shape<>::rank == 0 && shape<>::size == 1 && shape<>::value == extents{});
  static_assert(shape<46340, 46341>::size == std::int64_t{46340} * 46341);  // the largest is 2^31 - 1
  static_assert(s{} == shape<2, 3, 4>{} && !(s{} == shape<2, 12>{}) && !(shape<>{} == shape<1>{}));
  static_assert(std::is_same_v<batch<32, 8, 8>, shape<32, 8, 8>> && std::is_same_v<batch<5>, shape<5>>);
}

BOOST_AUTO_TEST_CASE(what_is_a_shape) {
  static_assert(is_shape<shape<>> && is_shape<shape<3>> && !is_shape<extents> && !is_shape<int>);
  static_assert(Shape<shape<1, 2>> && !Shape<tensor_like>);
}

// The test names these types without instantiating them, which would be an error.
BOOST_AUTO_TEST_CASE(which_shapes_are_sound) {
  static_assert(is_sound_shape<shape<>> && is_sound_shape<shape<1, 1, 1, 1, 1, 1>>);
  static_assert(!is_sound_shape<shape<0>> && !is_sound_shape<shape<2, -1>> && !is_sound_shape<int>);
  static_assert(!is_sound_shape<shape<1, 1, 1, 1, 1, 1, 1>>);
}

BOOST_AUTO_TEST_CASE(shapes_of_other_things) {
  static_assert(std::is_same_v<shape_from<doubled>, shape<6, 8>> && std::is_same_v<shape_from<of_nothing>, shape<>>);
  static_assert(std::is_same_v<shape_of<tensor_like const&>, shape<4, 2>>);
}

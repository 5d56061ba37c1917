// SPDX-License-Identifier: BSL-1.0
// Movements drawn at random, alone and after each other: what they mean, that their gradients are their adjoints, and
// which of them are never made.
#define BOOST_TEST_MODULE operation_movement
#include <boost/test/unit_test.hpp>

#include <memory>
#include <vector>

#include <espalier/derivative/reverse.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/tracing/interpret.hpp>

#include "support/random_program.hpp"

using namespace espalier;
using test::dice;

namespace {

using numbers = std::vector<double>;

numbers random_numbers(dice& roll, std::int64_t size) {
  numbers x;
  for (std::int64_t i = 0; i < size; ++i) x.push_back(roll.number());
  return x;
}

/// A program of one or two arguments.
struct one_program {
  std::unique_ptr<graph::program> p = std::make_unique<graph::program>();
  graph::node_table& g = p->nodes;

  explicit one_program(bool plain = false) { g.plain = plain; }
  int argument(int position, extents const& s) {
    return g.add({&described<argument_>, {}, static_cast<std::uint64_t>(position), s});
  }
  handle h(int id) { return handle{&g, id}; }
  extents const& shape_of(int id) const { return g[id].shape; }
  numbers run(int id, numbers const& a, numbers const& b = {}) const {
    double const* in[] = {a.data(), b.data()};
    tracing::interpreter<double> all{g, &id, 1};
    all.run(tracing::leaf_values<double>{in, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr});
    return numbers(all.value(id), all.value(id) + g[id].shape.size());
  }
  /// The adjoint of x, with the adjoint dy of y.
  int pulled_back(int x, int y, int dy) {
    auto m = std::make_unique<espalier::derivative::marks>();
    auto a = std::make_unique<espalier::derivative::adjoints>();
    m->at[x] = espalier::derivative::mark::differentiated;
    espalier::derivative::reverse(g, y, dy, *m, *a);
    return a->of[x] != 0 ? a->of[x] : operation::emit_constant(g, 0, g[x].shape).id;
  }
};

double product_of(numbers const& a, numbers const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A movement of an operand with extents s: slices, padding, flips, dilation, dropped axes and windows, all at once.
movement random_movement(dice& roll, extents const& s) {
  movement m{index_map{}, extents{}};
  for (int a = 0; a < s.rank; ++a) {
    bool const spread = roll(4) == 0, fits = m.map.rank + s.rank - a < max_rank;
    m.map.divisor[a] = spread ? 2 : 1;
    m.map.start[a] = roll(s.at[a] + 2) - 1;
    int const axes = roll(5) == 0 ? 0 : fits && roll(4) == 0 ? 2 : 1;
    for (int k = 0; k < axes; ++k) {
      m.map.source[m.map.rank] = a;
      m.map.step[m.map.rank++] = (roll(2) ? 1 : -1) * (1 + roll(2));
      m.shape.push(1 + roll(5));
    }
  }
  return m;
}
extents random_shape(dice& roll) {
  extents s{};
  int const rank = roll(4);
  for (int i = 0; i < rank; ++i) s.push(1 + roll(5));
  return s;
}
numbers moved(movement const& m, extents const& from, numbers const& x) {
  numbers y;
  for (std::int64_t i = 0; i < m.shape.size(); ++i) {
    std::int64_t const at = moved_offset(m.map, from, m.shape, i);
    y.push_back(at < 0 ? 0 : x[static_cast<std::size_t>(at)]);
  }
  return y;
}

template <class F>
void many(F check) {
  dice roll{11};
  for (int i = 0; i < 1500; ++i) check(roll);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_movement_follows_its_map) {
  many([](dice& roll) {
    extents const s = random_shape(roll);
    movement const m = random_movement(roll, s);
    one_program p{roll(2) != 0};
    int const y = operation::emit_move(p.g, p.argument(0, s), m.map, m.shape);
    numbers const x = random_numbers(roll, s.size());
    BOOST_TEST((p.shape_of(y) == m.shape));
    BOOST_TEST(p.run(y, x) == moved(m, s, x), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(movements_after_each_other) {
  int merged = 0;
  many([&](dice& roll) {
    extents const s = random_shape(roll);
    one_program p;
    int y = p.argument(0, s);
    numbers const x = random_numbers(roll, s.size());
    numbers expected = x;
    int const length = 2 + roll(3);
    for (int i = 0; i < length; ++i) {
      extents const t = p.shape_of(y);
      movement const m = random_movement(roll, t);
      expected = moved(m, t, expected);
      y = operation::emit_move(p.g, y, m.map, m.shape);
    }
    merged += p.g.size < 1 + length;
    BOOST_TEST(p.run(y, x) == expected, boost::test_tools::per_element());
  });
  BOOST_TEST(merged > 100);
}

BOOST_AUTO_TEST_CASE(the_gradient_of_a_movement_is_its_adjoint) {
  many([](dice& roll) {
    extents const s = random_shape(roll);
    movement const m = random_movement(roll, s);
    one_program p{roll(3) == 0};
    int const x = p.argument(0, s), y = operation::emit_move(p.g, x, m.map, m.shape), dy = p.argument(1, m.shape);
    int const dx = p.pulled_back(x, y, dy);
    BOOST_TEST((p.shape_of(dx) == s));
    numbers const a = random_numbers(roll, s.size()), b = random_numbers(roll, m.shape.size());
    BOOST_TEST(product_of(b, p.run(y, a, b)) == product_of(p.run(dx, a, b), a), boost::test_tools::tolerance(1e-11));
    // And the adjoint's adjoint is the movement.
    int const ddy = p.pulled_back(dy, dx, x);
    BOOST_TEST(p.run(ddy, a, b) == p.run(y, a, b), boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(scatter_add_sums_what_windows_took) {
  many([](dice& roll) {
    extents const s = random_shape(roll);
    movement const m = random_movement(roll, s);
    one_program p;
    int const x = p.argument(0, m.shape);
    int const y = operation::emit_scatter_add(p.g, x, m.map, s);
    numbers const a = random_numbers(roll, m.shape.size());
    numbers expected(static_cast<std::size_t>(s.size()));
    for (std::int64_t i = 0; i < m.shape.size(); ++i)
      if (std::int64_t const at = moved_offset(m.map, s, m.shape, i); at >= 0)
        expected[static_cast<std::size_t>(at)] += a[static_cast<std::size_t>(i)];
    BOOST_TEST(p.run(y, a) == expected, boost::test_tools::per_element());
  });
}

BOOST_AUTO_TEST_CASE(a_concatenation_and_its_parts) {
  many([](dice& roll) {
    extents a = random_shape(roll);
    if (a.rank == 0) a.push(3);
    int const axis = roll(a.rank);
    extents b = a, all = a;
    b.at[axis] = 1 + roll(4);
    all.at[axis] += b.at[axis];
    one_program p;
    int const x = p.argument(0, a), y = p.argument(1, b);
    int const z = operation::emit<concatenate_>(p.g, all, static_cast<std::uint64_t>(axis), x, y).id;
    numbers const u = random_numbers(roll, a.size()), v = random_numbers(roll, b.size()), w = p.run(z, u, v);
    BOOST_TEST(p.run(operation::emit_part(p.g, z, axis, 0, a.at[axis]), u, v) == u, boost::test_tools::per_element());
    BOOST_TEST(p.run(operation::emit_part(p.g, z, axis, a.at[axis], b.at[axis]), u, v) == v,
               boost::test_tools::per_element());
    // <z, z> has the gradient 2 x, 2 y.
    int const dz = (p.h(z) * 2).id, dx = p.pulled_back(x, z, dz), dy = p.pulled_back(y, z, dz);
    for (std::size_t i = 0; i < u.size(); ++i) BOOST_TEST(p.run(dx, u, v)[i] == 2 * u[i]);
    for (std::size_t i = 0; i < v.size(); ++i) BOOST_TEST(p.run(dy, u, v)[i] == 2 * v[i]);
  });
}

BOOST_AUTO_TEST_CASE(what_need_not_move_makes_no_node) {
  one_program p;
  int const id = p.argument(0, extents{2, {4, 6}});
  handle const x = p.h(id);
  BOOST_TEST((flip<0>(flip<0>(x)).id == id));
  BOOST_TEST((flip<0>(flip<1>(flip<1, 0>(x))).id == id));
  BOOST_TEST((undilate<2, 1>(dilate<2, 1>(x)).id == id));
  BOOST_TEST((slice<1, 2, 8>(pad<0, 0, 2, 3>(x)).id == id));
  BOOST_TEST((slice<1, 0, 6>(x).id == id));
  BOOST_TEST((pad<0, 0, 0, 0>(x).id == id));
  BOOST_TEST((dilate<0>(x).id == id));
  BOOST_TEST((permute<1, 0>(permute<1, 0>(x)).id == id));
  BOOST_TEST((squeeze<1>(unsqueeze<1>(x)).id == id));
  BOOST_TEST((slice<0, 0>(slice<1, 1, 5>(slice<1, 0>(x))).id == slice<1, 1, 5>(x).id));
  // Two slices are one, whichever way they are written.
  int const direct = slice<1, 2, 5, 2>(x).id, size = p.g.size;
  BOOST_TEST((slice<1, 1, to_end, 2>(slice<1, 1, 5>(x)).id == direct));
  BOOST_TEST((slice<1, 0, to_end, 2>(slice<1, 2, 5>(x)).id == direct));
  BOOST_TEST(p.g.size == size + 1);  // the slice 2..5 on the way; 1..5 was there
  // Zeros stay zeros, and constants do where nothing is filled in.
  handle const zero = operation::emit_constant(p.g, 0, extents{2, {4, 6}}),
               three = operation::emit_constant(p.g, 3, extents{2, {4, 6}});
  BOOST_TEST((operation::is_constant(p.g, pad<1, 1, 1, 1>(zero).id)));
  BOOST_TEST((operation::is_constant(p.g, dilate<1>(zero).id)));
  BOOST_TEST((operation::is_constant(p.g, flip<0>(three).id)));
  BOOST_TEST((!operation::is_constant(p.g, pad<1, 1, 1, 1>(three).id)));
  BOOST_TEST((!operation::is_constant(p.g, pad<1, 1, 1, 1>(zero, lowest).id)));
}

BOOST_AUTO_TEST_CASE(pullbacks_may_use_them_all) {
  one_program p;
  handle const x = p.h(p.argument(0, extents{2, {4, 6}})), y = p.h(p.argument(1, extents{2, {4, 2}}));
  dice roll{3};
  numbers const a = random_numbers(roll, 24), b = random_numbers(roll, 8);
  auto const same = [&](handle u, handle v) {
    BOOST_TEST((p.shape_of(u.id) == p.shape_of(v.id)));
    BOOST_TEST(p.run(u.id, a, b) == p.run(v.id, a, b), boost::test_tools::per_element());
  };
  handle const concatenated = concatenate<-1>(x, y, y);
  BOOST_TEST((p.shape_of(concatenated.id) == extents{2, {4, 10}}));
  auto const [first, second, third] = split<1, 6, 2, 2>(concatenated);
  same(first, x);
  same(second, y);
  same(third, y);
  BOOST_TEST((concatenate<0>(x).id == x.id));
  handle const stacked = stack<1>(x, x * 2);
  BOOST_TEST((p.shape_of(stacked.id) == extents{3, {4, 2, 6}}));
  same(squeeze<1>(slice<1, 1>(stacked)), x * 2);
  same(expand<3, -1, 6>(slice<1, 5>(x)), stack<0>(expand<-1, 6>(slice<1, 5>(x)), expand<4, 6>(slice<1, 5>(x)),
                                                  broadcast_to<shape<4, 6>>(slice<1, -1>(x))));
}

BOOST_AUTO_TEST_CASE(gradients_are_movements_too) {
  one_program p;
  int const id = p.argument(0, extents{2, {4, 6}});
  handle const x = p.h(id);
  auto const dy = [&](int y) { return p.argument(1, p.shape_of(y)); };
  auto const adjoint = [&](handle y) { return p.pulled_back(id, y.id, dy(y.id)); };
  handle const sliced = slice<1, 2, 5>(x), padded = pad<0, 0, 1, 2>(x), spread = dilate<1, 0>(x), turned = flip<1>(x);
  BOOST_TEST(adjoint(sliced) == (pad<0, 0, 2, 1>(p.h(dy(sliced.id))).id));
  BOOST_TEST(adjoint(padded) == (slice<1, 1, 7>(p.h(dy(padded.id))).id));
  BOOST_TEST(adjoint(spread) == (undilate<1, 0>(p.h(dy(spread.id))).id));
  BOOST_TEST(adjoint(turned) == (flip<1>(p.h(dy(turned.id))).id));
}

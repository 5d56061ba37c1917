// SPDX-License-Identifier: BSL-1.0
// What each op family stores in the attribute of a node, and that no family reads the attribute of another one.
#define BOOST_TEST_MODULE graph_attribute
#include <boost/test/unit_test.hpp>

#include <limits>

#include <espalier/graph/attribute.hpp>

namespace graph = espalier::graph;
using graph::op_family;

namespace {

template <op_family Family>
inline constexpr graph::descriptor op{"", Family, 0, nullptr, nullptr, nullptr, nullptr, {}, 0, false, false, {}, {}};

template <op_family Family>
constexpr graph::node node_with(std::uint64_t attribute) {
  return graph::node{&op<Family>, {}, attribute, {}};
}

constexpr int largest = std::numeric_limits<int>::max();
constexpr int numbers[] = {0, 1, 2, 23, graph::max_maps - 1, graph::capacity, largest};

// Every reader, as a type, so that it can be tried on every family.
struct reads_position {
  static constexpr op_family own[] = {op_family::argument, op_family::hyperparameter};
  static constexpr auto read(graph::node const& n) { return position_of(n); }
};
struct reads_label {
  static constexpr op_family own[] = {op_family::label};
  static constexpr auto read(graph::node const& n) { return label_of(n).position; }
};
struct reads_slot {
  static constexpr op_family own[] = {op_family::parameter, op_family::buffer};
  static constexpr auto read(graph::node const& n) { return slot_of(n); }
};
struct reads_constant {
  static constexpr op_family own[] = {op_family::constant};
  static constexpr auto read(graph::node const& n) { return constant_of(n); }
};
struct reads_constant_bits {
  static constexpr op_family own[] = {op_family::constant};
  static constexpr auto read(graph::node const& n) { return constant_bits_of(n); }
};
struct reads_stream {
  static constexpr op_family own[] = {op_family::random};
  static constexpr auto read(graph::node const& n) { return stream_of(n); }
};
struct reads_offset {
  static constexpr op_family own[] = {op_family::values};
  static constexpr auto read(graph::node const& n) { return offset_of(n); }
};
struct reads_axes {
  static constexpr op_family own[] = {op_family::reduction, op_family::alias};
  static constexpr auto read(graph::node const& n) { return axes_of(n); }
};
struct reads_pattern {
  static constexpr op_family own[] = {op_family::reduction, op_family::broadcast};
  static constexpr auto read(graph::node const& n) { return pattern_of(n); }
};
struct reads_transposes {
  static constexpr op_family own[] = {op_family::contraction};
  static constexpr auto read(graph::node const& n) { return transposes_of(n).a; }
};
struct reads_permutation {
  static constexpr op_family own[] = {op_family::permute};
  static constexpr auto read(graph::node const& n) { return permutation_of(n); }
};
struct reads_map {
  static constexpr op_family own[] = {op_family::move, op_family::scatter_add};
  static constexpr auto read(graph::node const& n) { return map_of(n); }
};
struct reads_axis {
  static constexpr op_family own[] = {op_family::concatenate, op_family::index_gather, op_family::index_scatter_add,
                                      op_family::index_copy};
  static constexpr auto read(graph::node const& n) { return axis_of(n); }
};
struct reads_pack {
  static constexpr op_family own[] = {op_family::pack};
  static constexpr auto read(graph::node const& n) { return pack_of(n).vector; }
};
struct reads_part {
  static constexpr op_family own[] = {op_family::part};
  static constexpr auto read(graph::node const& n) { return part_of(n); }
};

/// Whether reading a node of the family is a constant expression.
template <class Reader, op_family Family>
concept readable = requires {
  typename std::bool_constant<(static_cast<void>(Reader::read(node_with<Family>(1))), true)>;
};

template <class Reader, int Family>
constexpr bool reads_only_its_own() {
  constexpr auto family = static_cast<op_family>(Family);
  bool own = false;
  for (op_family f : Reader::own) own = own || f == family;
  if (readable<Reader, family> != own) return false;
  if constexpr (family == op_family::alias) return true;
  else return reads_only_its_own<Reader, Family + 1>();
}
template <class... Reader>
constexpr bool all_read_only_their_own = (reads_only_its_own<Reader, 0>() && ...);

static_assert(all_read_only_their_own<reads_position, reads_label, reads_slot, reads_constant, reads_constant_bits,
                                      reads_stream, reads_offset, reads_axes, reads_pattern, reads_transposes,
                                      reads_permutation, reads_map, reads_axis, reads_pack, reads_part>);

}  // namespace

BOOST_AUTO_TEST_CASE(places_in_vectors_come_back) {
  graph::packed_tensor const place{63, std::int64_t{largest} - 15, 7, 65535};
  graph::packed_tensor const read = pack_of(node_with<op_family::pack>(graph::pack_attribute(place)));
  BOOST_TEST(read.vector == place.vector);
  BOOST_TEST(read.offset == place.offset);
  BOOST_TEST(read.updater == place.updater);
  BOOST_TEST(read.parameters == place.parameters);
  BOOST_TEST(part_of(node_with<op_family::part>(graph::part_attribute(place.offset))) == place.offset);
}

BOOST_AUTO_TEST_CASE(numbers_come_back) {
  for (int k : numbers) {
    BOOST_TEST(position_of(node_with<op_family::argument>(graph::position_attribute(k))) == k);
    BOOST_TEST(position_of(node_with<op_family::hyperparameter>(graph::position_attribute(k))) == k);
    BOOST_TEST(position_of(node_with<op_family::hyperparameter>(graph::position_attribute(k, true))) == k);
    BOOST_TEST(is_wide(node_with<op_family::hyperparameter>(graph::position_attribute(k, true))));
    BOOST_TEST(is_wide(node_with<op_family::argument>(graph::position_attribute(k, true))));
    BOOST_TEST(!is_wide(node_with<op_family::hyperparameter>(graph::position_attribute(k))));
    BOOST_TEST(!is_wide(node_with<op_family::constant>(graph::constant_attribute(1))));
    BOOST_TEST(slot_of(node_with<op_family::parameter>(graph::slot_attribute(k))) == k);
    BOOST_TEST(slot_of(node_with<op_family::buffer>(graph::slot_attribute(k))) == k);
    BOOST_TEST(offset_of(node_with<op_family::values>(graph::offset_attribute(k))) == k);
    BOOST_TEST(map_of(node_with<op_family::move>(graph::map_attribute(k))) == k);
    BOOST_TEST(map_of(node_with<op_family::scatter_add>(graph::map_attribute(k))) == k);
    BOOST_TEST(axis_of(node_with<op_family::concatenate>(graph::axis_attribute(k))) == k);
    BOOST_TEST(stream_of(node_with<op_family::random>(graph::stream_attribute(k))) == static_cast<std::uint64_t>(k));
  }
}

BOOST_AUTO_TEST_CASE(labels_have_a_position_and_a_type) {
  for (int k : numbers)
    for (bool flag : {false, true}) {
      graph::label_argument const x = label_of(node_with<op_family::label>(graph::label_attribute({k, flag})));
      BOOST_TEST(x.position == k);
      BOOST_TEST(x.is_flag == flag);
    }
}

BOOST_AUTO_TEST_CASE(constants_keep_every_bit) {
  using limits = std::numeric_limits<double>;
  for (double x : {0.0, -0.0, 1.0, -1.0 / 3, limits::min(), limits::denorm_min(), limits::max(), limits::lowest(),
                   limits::infinity(), -limits::infinity(), limits::quiet_NaN()}) {
    graph::node const n = node_with<op_family::constant>(graph::constant_attribute(x));
    BOOST_TEST(std::bit_cast<std::uint64_t>(constant_of(n)) == std::bit_cast<std::uint64_t>(x));
    BOOST_TEST(std::bit_cast<std::uint64_t>(graph::constant_in(constant_bits_of(n))) ==
               std::bit_cast<std::uint64_t>(x));
  }
  // The nodes of 0 and -0 differ, although the numbers are equal.
  BOOST_TEST(graph::constant_attribute(0.0) != graph::constant_attribute(-0.0));
}

BOOST_AUTO_TEST_CASE(axes_are_a_mask) {
  for (unsigned mask = 0; mask < 1u << espalier::max_rank; ++mask) {
    BOOST_TEST(axes_of(node_with<op_family::reduction>(graph::axes_attribute(mask))) == mask);
    BOOST_TEST(axes_of(node_with<op_family::alias>(graph::axes_attribute(mask))) == mask);
    BOOST_TEST(graph::axes_in(graph::axes_attribute(mask)) == mask);
  }
}

BOOST_AUTO_TEST_CASE(patterns) {
  using graph::pattern;
  for (pattern p : {pattern::everything, pattern::row, pattern::column, pattern::middle, pattern::segments}) {
    BOOST_TEST((pattern_of(node_with<op_family::reduction>(graph::pattern_attribute(p))) == p));
    BOOST_TEST((pattern_of(node_with<op_family::broadcast>(graph::pattern_attribute(p))) == p));
  }
}

BOOST_AUTO_TEST_CASE(products_transpose_either_operand) {
  for (bool a : {false, true})
    for (bool b : {false, true}) {
      graph::transposes const x{a, b};
      BOOST_TEST((transposes_of(node_with<op_family::contraction>(graph::transposes_attribute(x))) == x));
      BOOST_TEST((graph::transposes_in(graph::transposes_attribute(x)) == x));
    }
  // A node without transposes has the attribute 0, like one that needs no attribute.
  BOOST_TEST(graph::transposes_attribute({}) == 0u);
}

BOOST_AUTO_TEST_CASE(permutations_and_copies) {
  constexpr std::uint64_t largest_permutation = 0x012345;
  BOOST_TEST(permutation_of(node_with<op_family::permute>(largest_permutation)) == largest_permutation);
  BOOST_TEST(graph::copy_attribute(0) != graph::copy_attribute(1));
  BOOST_TEST(graph::copy_attribute(largest) == static_cast<std::uint64_t>(largest));
}

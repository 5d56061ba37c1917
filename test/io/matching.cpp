// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_matching
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>

#include <espalier/io/matching.hpp>

using namespace espalier;
using io::detail::matching;
using kind = io::disagreement_kind;

namespace {
float const six[6] = {0, 1, 2, 3, 4, 5};
constexpr extents two_by_two{2, {2, 2}}, rectangle{2, {2, 3}};

io::archive archive_of(std::vector<io::named_array> arrays, std::vector<io::metadata_entry> metadata = {}) {
  return {"file", std::move(arrays), std::move(metadata), {}};
}
/// An array of a model, whose order of axes in PyTorch is the transposed one.
io::named_array weight(char const* name, extents const& shape, float const* data = six) {
  io::named_array a = io::array_of(name, shape, data);
  a.of_model = true;
  a.in_pytorch = axes_in_order(1, 0);
  return a;
}
std::vector<kind> kinds(matching const& m) {
  std::vector<kind> found;
  for (auto const& d : m.disagreements) found.push_back(d.kind);
  return found;
}
using kinds_of = std::vector<kind>;
std::vector<io::metadata_entry> const by_espalier{{"format", "espalier"}}, by_pytorch{{"format", "pt"}};
}  // namespace

BOOST_AUTO_TEST_CASE(arrays_of_one_name_are_pairs) {
  io::archive const file = archive_of({io::array_of("b", two_by_two, six), io::array_of("a", rectangle, six)});
  std::vector<io::named_array> const model{io::array_of("a", rectangle, six), io::array_of("b", two_by_two, six)};
  matching const m{file, model, {}};
  BOOST_TEST(m.disagreements.empty());
  BOOST_REQUIRE(m.pairs.size() == 2u);
  for (auto const& p : m.pairs) BOOST_TEST((p.from->name == p.to->name && p.order == nullptr));
}

BOOST_AUTO_TEST_CASE(names_that_do_not_match) {
  io::archive const file =
      archive_of({io::array_of("wieght", two_by_two, six), io::array_of("training/x", two_by_two, six)});
  matching const m{file, {io::array_of("weight", two_by_two, six)}, {}};
  BOOST_TEST((kinds(m) == kinds_of{kind::missing, kind::extra, kind::extra}));
  BOOST_TEST(m.disagreements[0].nearest == "wieght");
  BOOST_TEST(m.disagreements[1].expected.find("belongs to a trainer") != std::string::npos);
  BOOST_TEST(m.disagreements[2].expected.empty());
  matching const permitted{file,
                           {io::array_of("weight", two_by_two, six)},
                           io::load_options{}.rename("wieght", "weight").ignore("training/*")};
  BOOST_TEST(permitted.disagreements.empty());
  matching const kept{archive_of({}), {io::array_of("weight", two_by_two, six)}, io::load_options{}.keep("*")};
  BOOST_TEST((kept.disagreements.empty() && kept.pairs.empty()));
  matching const twice{archive_of({io::array_of("a", two_by_two, six), io::array_of("b", two_by_two, six)}),
                       {io::array_of("a", two_by_two, six)},
                       io::load_options{}.rename("b", "a")};
  BOOST_TEST((kinds(twice) == kinds_of{kind::twice}));
}

BOOST_AUTO_TEST_CASE(elements_and_extents_that_do_not_match) {
  double const doubles[4] = {1, 2, std::numeric_limits<double>::infinity(), std::nan("")};
  io::archive const file = archive_of({io::array_of("a", two_by_two, doubles)});
  std::vector<io::named_array> const model{io::array_of("a", two_by_two, six)};
  BOOST_TEST((kinds({file, model, {}}) == kinds_of{kind::element}));
  BOOST_TEST(kinds({file, model, io::load_options{}.convert()}).empty());
  matching const finite{file, model, io::load_options{}.convert().finite()};
  BOOST_TEST((kinds(finite) == kinds_of{kind::not_finite}));
  BOOST_TEST(finite.disagreements[0].found == "2 of 4 that are not");
  BOOST_TEST((kinds({file, {io::array_of("a", {1, {4}}, doubles)}, {}}) == kinds_of{kind::shape}));
}

BOOST_AUTO_TEST_CASE(step_counts_have_a_range) {
  for (auto const& [steps, fits] : {std::pair{std::int64_t{0}, true},
                                    {io::detail::most_steps, true},
                                    {std::int64_t{-1}, false},
                                    {io::detail::most_steps + 1, false}}) {
    std::int64_t const own = 0;
    matching const m{archive_of({io::array_of(io::detail::steps_name, {0, {}}, &steps)}),
                     {io::array_of(io::detail::steps_name, {0, {}}, &own)},
                     {}};
    BOOST_TEST(m.disagreements.empty() == fits);
  }
}

// A square weight fits in both orders, so a file that does not name its writer is ambiguous. Another weight proves it.
BOOST_AUTO_TEST_CASE(the_layout_of_a_file) {
  std::vector<io::named_array> const one{weight("a", two_by_two)}, two{weight("a", two_by_two), weight("b", rectangle)};
  io::archive const unknown = archive_of({io::array_of("a", two_by_two, six)});
  BOOST_TEST((kinds({unknown, one, {}}) == kinds_of{kind::layout}));
  BOOST_TEST(kinds({unknown, one, io::load_options{}.from_espalier()}).empty());
  BOOST_TEST(kinds({unknown, one, io::load_options{}.from_pytorch()}).empty());
  BOOST_TEST(kinds({archive_of({io::array_of("a", two_by_two, six)}, by_espalier), one, {}}).empty());
  BOOST_TEST(
      (kinds({archive_of({io::array_of("a", two_by_two, six)}, by_pytorch), one, {}}) == kinds_of{kind::layout}));
  io::archive const proven = archive_of({io::array_of("a", two_by_two, six), io::array_of("b", rectangle, six)});
  BOOST_TEST(kinds({proven, two, {}}).empty());
}

BOOST_AUTO_TEST_CASE(pytorchs_order_of_axes) {
  std::vector<io::named_array> const model{weight("a", rectangle)};
  io::archive const file =
      archive_of({io::array_of("a", {2, {3, 2}}, six), io::array_of("0.num_batches_tracked", {0, {}}, six)});
  matching const m{file, model, io::load_options{}.from_pytorch()};
  BOOST_TEST(m.disagreements.empty());
  BOOST_REQUIRE((m.pairs.size() == 1u && m.pairs[0].order != nullptr));
  BOOST_TEST(m.pairs[0].order->at[0] == 1);
  matching const unconverted{archive_of({io::array_of("a", {2, {3, 2}}, six)}), model, {}};
  BOOST_REQUIRE((kinds(unconverted) == kinds_of{kind::shape}));
  BOOST_TEST(unconverted.disagreements[0].remedy.find("from_pytorch") != std::string::npos);
  std::vector<io::named_array> undeclared{weight("a", rectangle)};
  undeclared[0].in_pytorch = {};
  BOOST_TEST((kinds({file, undeclared, io::load_options{}.from_pytorch()}) == kinds_of{kind::layout}));
  BOOST_TEST(kinds({file, undeclared, io::load_options{}.from_pytorch().axes("a", 1, 0)}).empty());
  BOOST_TEST((kinds({file, model, io::load_options{}.from_pytorch().axes("a", 0, 0)}) == kinds_of{kind::layout}));
}

BOOST_AUTO_TEST_CASE(copied_and_rounded_elements) {
  float out[6]{};
  io::named_array const to = io::array_of("a", {1, {3}}, out);
  double const third[3] = {1.0 / 3, -2, 1e300};
  io::detail::copy_elements(io::array_of("a", {1, {3}}, third), to);
  BOOST_TEST((out[0] == 1.0f / 3 && out[1] == -2 && std::isinf(out[2])));
  unsigned char const bytes[3] = {0, 1, 255};
  bool flags[3]{};
  io::named_array from = io::array_of("a", {1, {3}}, bytes);
  from.kind = io::element_kind::boolean;
  io::detail::copy_elements(from, io::array_of("a", {1, {3}}, flags));
  BOOST_TEST((!flags[0] && flags[1] && flags[2]));
}

// The model's element (i, j) is the file's element (j, i).
BOOST_AUTO_TEST_CASE(permuted_elements) {
  float out[6]{};
  io::detail::copy_permuted(io::array_of("a", {2, {3, 2}}, six), io::array_of("a", rectangle, out),
                            axes_in_order(1, 0));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j) BOOST_TEST(out[3 * i + j] == six[2 * j + i]);
}

BOOST_AUTO_TEST_CASE(counts_that_pytorch_stores) {
  using io::detail::is_left_out_of_pytorch;
  BOOST_TEST((is_left_out_of_pytorch("num_batches_tracked") && is_left_out_of_pytorch("1.num_batches_tracked")));
  BOOST_TEST((!is_left_out_of_pytorch("own_num_batches_tracked") && !is_left_out_of_pytorch("num_batches")));
}

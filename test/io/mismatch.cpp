// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_mismatch
#include <boost/test/unit_test.hpp>

#include <type_traits>

#include <espalier/io/mismatch.hpp>

namespace io = espalier::io;
using kind = io::disagreement_kind;

namespace {
std::string line(io::disagreement const& d) { return io::mismatch_error::line_of(d); }
}  // namespace

BOOST_AUTO_TEST_CASE(each_kind_has_its_line) {
  BOOST_TEST(line({kind::missing, "a", "float (2)", {}, {}}) == "missing \"a\": expected float (2)");
  BOOST_TEST(line({kind::missing, "weight", "float (2)", {}, "wieght"}) ==
             "missing \"weight\": expected float (2); of the file's other names the most similar is \"wieght\"");
  BOOST_TEST(line({kind::extra, "a", {}, "half (3)", {}}) == "extra \"a\": the file has half (3)");
  BOOST_TEST(line({kind::extra, "a", "which helps", "half (3)", {}}) ==
             "extra \"a\": the file has half (3), which helps");
  BOOST_TEST(line({kind::shape, "0.bias", "(64)", "(10)", {}}) == "shape of \"0.bias\": expected (64), found (10)");
  BOOST_TEST(line({kind::shape, "w", "(2, 3)", "(3, 2)", {}, "turn it"}) ==
             "shape of \"w\": expected (2, 3), found (3, 2), turn it");
  BOOST_TEST(line({kind::layout, {}, "x", "y", {}, "do z"}) == "layout: expected x, found y; do z");
  BOOST_TEST(line({kind::layout, "w", "x", "y", {}, "do z"}) == "layout of \"w\": expected x, found y; do z");
  BOOST_TEST(line({kind::layers, {}, "dense", "gru, dense", {}}) == "layers: expected dense, found gru, dense");
  BOOST_TEST(line({kind::element, "w", "float", "double", {}}) == "elements of \"w\": expected float, found double");
  BOOST_TEST(line({kind::not_finite, "w", {}, "1 of 6", {}}) ==
             "values of \"w\": expected finite numbers, found 1 of 6");
  BOOST_TEST(line({kind::value, "n", "0 to 9", "-1", {}}) == "value of \"n\": expected 0 to 9, found -1");
  BOOST_TEST(line({kind::twice, "w", {}, "\"a\" and \"b\"", {}}) == "twice \"w\": found \"a\" and \"b\"");
}

BOOST_AUTO_TEST_CASE(an_error_lists_them) {
  io::mismatch_error const one{"net.npz", {{kind::value, "n", "1", "2", {}}}};
  BOOST_TEST(one.what() == std::string("net.npz does not fit: 1 disagreement; nothing was loaded\n"
                                       "  value of \"n\": expected 1, found 2"));
  std::vector<io::disagreement> const many(43, io::disagreement{kind::value, "n", "1", "2", {}});
  io::mismatch_error const all{"net.npz", many};
  std::string const text = all.what();
  BOOST_TEST(text.find("43 disagreements") != std::string::npos);
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 41);
  BOOST_TEST(text.substr(text.rfind('\n')) == "\n  and 3 more");
  BOOST_TEST(all.disagreements().size() == 43u);
}

// It is thrown by value and caught as its bases.
BOOST_AUTO_TEST_CASE(copies_share_their_text) {
  static_assert(std::is_base_of_v<io::error, io::mismatch_error> &&
                std::is_nothrow_copy_constructible_v<io::mismatch_error>);
  io::mismatch_error const one{"net.npz", {{kind::value, "n", "1", "2", {}}}};
  io::mismatch_error const copy{one};
  BOOST_TEST(copy.what() == one.what());
  BOOST_TEST(&copy.disagreements() == &one.disagreements());
}

BOOST_AUTO_TEST_CASE(the_most_similar_name) {
  BOOST_TEST(io::detail::nearest_name("0.weight", {"0.bias", "0.wieght", "1.weights"}) == "0.wieght");
  BOOST_TEST(io::detail::nearest_name("0.weight", {"encoder"}).empty());
  BOOST_TEST(io::detail::nearest_name("0.weight", {}).empty());
}

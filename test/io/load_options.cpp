// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_load_options
#include <boost/test/unit_test.hpp>

#include <espalier/io/load_options.hpp>

namespace io = espalier::io;

BOOST_AUTO_TEST_CASE(patterns) {
  auto const fits = [](char const* pattern, char const* name) { return io::load_options::matches(pattern, name); };
  BOOST_TEST(fits("a.b", "a.b"));
  BOOST_TEST(!fits("a.b", "a.bc"));
  BOOST_TEST(fits("*", ""));
  BOOST_TEST(fits("a*c*e", "abcde"));
  BOOST_TEST(fits("*.num_batches_tracked", "1.0.num_batches_tracked"));
  BOOST_TEST(!fits("a*b", "a"));
  BOOST_TEST((fits("", "") && !fits("", "a")));
  BOOST_TEST(fits("**", "ab"));
}

BOOST_AUTO_TEST_CASE(the_first_star_matches_as_much_as_possible) {
  std::string_view starred;
  BOOST_TEST(io::load_options::matches("a.*.b", "a.x.b.y.b", &starred));
  BOOST_TEST(starred == "x.b.y");
  BOOST_TEST(io::load_options::matches("a*", "a", &starred));
  BOOST_TEST(starred.empty());
}

BOOST_AUTO_TEST_CASE(renamed_tensors) {
  io::load_options const options =
      io::load_options{}.rename("encoder.*.w", "0.*.weight").rename("x", "y").rename("encoder.*", "late.*");
  BOOST_TEST(options.renamed("encoder.3.w") == "0.3.weight");  // the first rule that matches
  BOOST_TEST(options.renamed("encoder.3.b") == "late.3.b");
  BOOST_TEST(options.renamed("x") == "y");
  BOOST_TEST(options.renamed("other") == "other");
  BOOST_TEST(io::load_options{}.rename("a*", "b").renamed("abc") == "b");
}

BOOST_AUTO_TEST_CASE(ignored_and_kept_tensors) {
  io::load_options const options = io::load_options{}.ignore("training/*").ignore("a").keep("head.*");
  BOOST_TEST((options.ignores("training/steps") && options.ignores("a") && !options.ignores("head.weight")));
  BOOST_TEST((options.keeps("head.weight") && !options.keeps("a")));
}

BOOST_AUTO_TEST_CASE(orders_of_axes) {
  io::load_options const options = io::load_options{}.axes("own.*", 1, 0).axes("*", 0, 1, 2);
  BOOST_REQUIRE(options.order_of("own.weight") != nullptr);
  BOOST_TEST((options.order_of("own.weight")->rank == 2 && options.order_of("own.weight")->at[0] == 1));
  BOOST_TEST(options.order_of("other")->rank == 3);
  BOOST_TEST(io::load_options{}.order_of("other") == nullptr);
}

BOOST_AUTO_TEST_CASE(nothing_is_permitted_by_default) {
  io::load_options const options;
  BOOST_TEST((options.layout() == io::file_layout::from_metadata && !options.converts() && !options.requires_finite()));
  BOOST_TEST((!options.ignores("a") && !options.keeps("a") && options.renamed("a") == "a"));
  BOOST_TEST((io::load_options{}.convert().converts() && !io::load_options{}.convert().convert(false).converts()));
  BOOST_TEST((io::load_options{}.finite().requires_finite()));
  BOOST_TEST((io::load_options{}.from_pytorch().layout() == io::file_layout::pytorch));
  BOOST_TEST((io::load_options{}.from_pytorch().from_espalier().layout() == io::file_layout::espalier));
}

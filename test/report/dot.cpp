// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE report_dot
#include <boost/test/unit_test.hpp>

#include <espalier/report/dot.hpp>

namespace dot = espalier::report::dot;

BOOST_AUTO_TEST_CASE(texts_are_quoted) {
  BOOST_TEST(dot::quoted("") == "\"\"");
  BOOST_TEST(dot::quoted("a \"b\" \\ c") == "\"a \\\"b\\\" \\\\ c\"");
  BOOST_TEST(dot::quoted("one\ntwo") == "\"one\\ntwo\"");
  BOOST_TEST(dot::quoted("one\ntwo\n", true) == "\"one\\ltwo\\l\"");
}

// Lines break after commas, opening brackets and signs only, and never behind the last character.
BOOST_AUTO_TEST_CASE(long_texts_are_broken) {
  BOOST_TEST(dot::broken("add(v1, v2)", 40) == "add(v1, v2)");
  BOOST_TEST(dot::broken("add(v1, v2)", 4) == "add(\n    v1, \n    v2)");
  BOOST_TEST(dot::broken("a_name_without_a_comma", 4) == "a_name_without_a_comma");
  BOOST_TEST(dot::broken("f(", 1) == "f(");
  BOOST_TEST(dot::broken("a b c", 2) == "a b c");
  BOOST_TEST(dot::broken("aaaaaaaa, b, c, d", 9) == "aaaaaaaa, \n    b, c, \n    d");
  BOOST_TEST(dot::broken("a1 * b + c @ d", 4) == "a1 * \n    b + \n    c @ \n    d");
  BOOST_TEST(dot::broken("a-b = c", 1) == "a-b = c");
}

BOOST_AUTO_TEST_CASE(statements) {
  BOOST_TEST(dot::node("n1", "x") == "n1 [label=\"x\"]\n");
  BOOST_TEST(dot::node("n1", "x\n", "shape=box", true) == "n1 [label=\"x\\l\", shape=box]\n");
  BOOST_TEST(dot::edge("a", "b") == "  a -> b\n");
  BOOST_TEST(dot::edge("a", "b", "(2, 3)") == "  a -> b [label=\"(2, 3)\"]\n");
  BOOST_TEST(dot::begin("net", true).find("label=\"net\", rankdir=LR,") != std::string::npos);
  BOOST_TEST(dot::begin("a \"net\"").find("digraph espalier {\n  graph [label=\"a \\\"net\\\"\"") == 0u);
}

// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_text
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <espalier/base/text.hpp>

using namespace espalier::detail;

namespace {
constexpr unsigned long distance(std::string_view a, std::string_view b) {
  return edit_distance(a.data(), a.size(), b.data(), b.size());
}
/// The definition: the whole table.
unsigned long distance_by_table(std::string const& a, std::string const& b) {
  std::vector<std::vector<unsigned long>> d(a.size() + 1, std::vector<unsigned long>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j)
      d[i][j] = i == 0 ? j
                : j == 0
                    ? i
                    : std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
  return d[a.size()][b.size()];
}
/// The name that a search of these names ends with; empty if none is similar.
constexpr std::string_view nearest(std::string_view query, std::initializer_list<std::string_view> names) {
  nearest_so_far search{query.data(), query.size()};
  std::string_view found;
  for (auto const name : names)
    if (search.update(name.data(), name.size())) found = name;
  return found;
}
}  // namespace

BOOST_AUTO_TEST_CASE(equal_texts) {
  static_assert(same_text("", "") && same_text("abc", "abc"));
  static_assert(!same_text("abc", "abd") && !same_text("abc", "ab") && !same_text("ab", "abc") && !same_text("", "a"));
}

BOOST_AUTO_TEST_CASE(edit_distances) {
  static_assert(distance("", "") == 0 && distance("", "abc") == 3 && distance("abc", "") == 3);
  static_assert(distance("weight", "weight") == 0 && distance("wieght", "weight") == 2);
  static_assert(distance("kitten", "sitting") == 3);
  std::mt19937 random{1};
  auto const word = [&] {
    std::string text(random() % 9, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int i = 0; i < 500; ++i) {
    std::string const a = word(), b = word();
    BOOST_TEST(distance(a, b) == distance_by_table(a, b), a << " and " << b);
  }
}

BOOST_AUTO_TEST_CASE(the_first_of_the_nearest_names) {
  static_assert(nearest("weihgt", {"bias", "weight", "weights"}) == "weight");
  static_assert(nearest("bia", {"bias", "bian"}) == "bias");
  static_assert(nearest("scale", {}) == "");
}

// At most half of the query's letters may be wrong.
BOOST_AUTO_TEST_CASE(names_that_are_too_different_are_not_found) {
  static_assert(nearest("abcd", {"abxy"}) == "abxy" && nearest("abcd", {"axyz"}) == "");
  static_assert(nearest("ab", {"a_name_that_is_much_longer_than_the_query"}) == "");
}

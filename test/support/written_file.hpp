// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdio>
#include <string>

namespace test {

/// A file that is gone when the test is over.
struct written {
  std::string name;
  written(std::string const& content, char const* called) : name{called} {
    std::FILE* const file = std::fopen(called, "wb");
    BOOST_REQUIRE(file != nullptr);
    BOOST_REQUIRE_EQUAL(std::fwrite(content.data(), 1, content.size(), file), content.size());
    BOOST_REQUIRE_EQUAL(std::fclose(file), 0);
  }
  ~written() { std::remove(name.c_str()); }
  written(written const&) = delete;
  written& operator=(written const&) = delete;
};

/// What an error says; empty: there was none.
template <class Error, class F>
std::string message(F f) {
  try {
    f();
  } catch (Error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace test

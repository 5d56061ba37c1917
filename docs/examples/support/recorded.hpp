// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace examples {

/// What a program says, of which there is a record in a file.
class recorded {
 public:
  void print(char const* format, ...) {
    std::va_list rest;
    va_start(rest, format);
    length_ += static_cast<std::size_t>(std::vsnprintf(text_ + length_, sizeof text_ - length_, format, rest));
    va_end(rest);
  }
  /// Spaces up to a column of the text, but at least one.
  void pad(std::size_t until) {
    do print(" ");
    while (length_ < until);
  }
  void end_line() {
    while (length_ > 0 && text_[length_ - 1] == ' ') --length_;
    print("\n");
  }
  [[nodiscard]] std::size_t length() const { return length_; }

  /// Prints the text; with a file on the command line, compares it with that file instead. The exit status.
  [[nodiscard]] int finish(int count, char** words) const {
    if (count < 2) {
      std::fputs(text_, stdout);
      return 0;
    }
    static char expected[sizeof text_];
    std::FILE* const file = std::fopen(words[1], "r");
    if (file == nullptr) return 1;
    std::size_t const size = std::fread(expected, 1, sizeof expected - 1, file);
    std::fclose(file);
    bool const same = size == length_ && std::memcmp(expected, text_, size) == 0;
    if (!same)
      std::printf("%s is out of date; run this program without arguments to see what holds now:\n%s", words[1], text_);
    return same ? 0 : 1;
  }

 private:
  char text_[16384]{};
  std::size_t length_ = 0;
};

}  // namespace examples

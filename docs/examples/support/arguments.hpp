// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <espalier/io/error.hpp>

namespace examples {

namespace io = espalier::io;

/// What a training program can be told on the command line.
struct arguments {
  char const* program = "";
  std::uint64_t seed = 0;
  int epochs = 20;
  char const* data = nullptr;
  char const* out = ".";
  char const* save = nullptr;  ///< where the trained model goes, with what its training needs to go on
  char const* load = nullptr;  ///< where such comes from
  bool files = false;          ///< whether the program can do so
};

/// A path made of a folder and a name.
struct path {
  char text[1024];
  path(char const* folder, char const* name, char const* suffix = "") {
    int const length = std::snprintf(text, sizeof text, "%s/%s%s", folder, name, suffix);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof text)
      io::throw_error<io::error>("expected a path of at most %d characters, got a folder of %zu",
                                 static_cast<int>(sizeof text) - 1, std::strlen(folder));
  }
};

inline std::uint64_t number(char const* option, char const* text, std::uint64_t least, std::uint64_t most) {
  char* end = nullptr;
  errno = 0;
  unsigned long long const value = std::strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != 0 || errno != 0 || value < least || value > most)
    io::throw_error<io::error>("%s: expected a whole number from %llu to %llu, got '%s'", option,
                               static_cast<unsigned long long>(least), static_cast<unsigned long long>(most), text);
  return value;
}

/// --seed N --epochs N --data DIR --out DIR, and of programs that can, --save FILE --load FILE, over the given
/// defaults. --help says so and ends the program.
inline arguments parse(int count, char** words, arguments chosen) {
  char const* const slash = count > 0 ? std::strrchr(words[0], '/') : nullptr;
  chosen.program = slash != nullptr ? slash + 1 : count > 0 ? words[0] : "";
  for (int i = 1; i < count; ++i) {
    char const* const word = words[i];
    if (std::strcmp(word, "--help") == 0) {
      std::printf(
          "%s [--seed N] [--epochs N] [--data DIR] [--out DIR]%s\n  --seed    initial values, order of samples, dropout (%llu)\n"
          "  --epochs  passes over the training data (%d)\n  --data    folder of the IDX files (%s)\n"
          "  --out     folder for the learning curve (%s)\n%s",
          chosen.program, chosen.files ? " [--save FILE] [--load FILE]" : "",
          static_cast<unsigned long long>(chosen.seed), chosen.epochs,
          chosen.data == nullptr ? "required" : chosen.data, chosen.out,
          chosen.files
              ? "  --save    file for the trained model, and for what its training needs to go on\n"
                "  --load    such a file: the training goes on from there, with the file's seed, until it has passed over the data so often\n"
              : "");
      std::exit(0);
    }
    char const* const options[] = {"--seed", "--epochs", "--data", "--out", "--save", "--load"};
    int const option_count = chosen.files ? 6 : 4;
    int which = 0;
    while (which < option_count && std::strcmp(word, options[which]) != 0) ++which;
    if (which == option_count)
      io::throw_error<io::error>("expected --seed, --epochs, --data, --out%s or --help, got '%s'",
                                 chosen.files ? ", --save, --load" : "", word);
    if (++i == count) io::throw_error<io::error>("%s: expected a value, got the end of the command line", word);
    if (which == 0) chosen.seed = number(word, words[i], 0, UINT64_MAX);
    if (which == 1) chosen.epochs = static_cast<int>(number(word, words[i], 1, 100000));
    if (which == 2) chosen.data = words[i];
    if (which == 3) chosen.out = words[i];
    if (which == 4) chosen.save = words[i];
    if (which == 5) chosen.load = words[i];
  }
  if (chosen.data == nullptr) io::throw_error<io::error>("--data: expected the folder of the IDX files, got nothing");
  return chosen;
}

}  // namespace examples

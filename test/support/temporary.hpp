// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <string>

#include <stdlib.h>

/// Files of a test, in a folder of their own that goes with it.
namespace temporary {

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "espalier-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error{"mkdtemp", name, std::error_code{}};
    at_ = name;
  }
  folder(folder const&) = delete;
  folder& operator=(folder const&) = delete;
  ~folder() {
    std::error_code ignored;
    std::filesystem::permissions(at_, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(at_, ignored);
  }
  std::filesystem::path const& at() const { return at_; }
  /// A path in the folder, valid as long as the folder.
  char const* path(std::string const& name) const {
    paths_.push_back((at_ / name).string());
    return paths_.back().c_str();
  }
  /// How many entries the folder has.
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator{at_}, std::filesystem::directory_iterator{}));
  }

 private:
  std::filesystem::path at_;
  mutable std::list<std::string> paths_;
};

inline void write(char const* path, std::string const& content) { std::ofstream{path, std::ios::binary} << content; }
inline std::string read(char const* path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace temporary

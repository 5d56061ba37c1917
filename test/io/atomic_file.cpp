// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE io_atomic_file
#include <boost/test/unit_test.hpp>

#include <espalier/io/atomic_file.hpp>

#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "support/temporary.hpp"

namespace io = espalier::io;

namespace {

void put(io::atomic_file& file, std::string const& text) { file.write(text.data(), text.size()); }
/// What is said when a text is written to a path, behind the path; empty: it was written.
std::string error_of(std::string const& path, std::string const& text = "new") {
  try {
    io::atomic_file file{path.c_str()};
    put(file, text);
    file.commit();
  } catch (io::write_error const& error) {
    // Of a very long path, its end.
    std::string const error_text = error.what(),
                      name = path.size() < 256 ? path : "..." + path.substr(path.size() - 252);
    BOOST_TEST(error_text.rfind(name + ": ", 0) == 0u, error_text);
    return error_text.substr(name.size() + 2);
  }
  return {};
}
mode_t mode_of(char const* path) {
  struct stat facts {};
  BOOST_REQUIRE(::stat(path, &facts) == 0);
  return facts.st_mode & 07777;
}

}  // namespace

BOOST_AUTO_TEST_CASE(appears_as_a_whole) {
  temporary::folder const folder;
  char const* const path = folder.path("file");
  {
    io::atomic_file file{path};
    BOOST_TEST(file.name() == path);
    put(file, "one");
    put(file, "");
    put(file, std::string(3000000, 'x'));
    BOOST_TEST(!std::filesystem::exists(path));
    file.commit();
    BOOST_TEST(std::filesystem::exists(path));
  }
  BOOST_TEST(temporary::read(path) == "one" + std::string(3000000, 'x'));
  BOOST_TEST(folder.entries() == 1u);
  BOOST_TEST(error_of(path, "shorter") == "");
  BOOST_TEST(temporary::read(path) == "shorter");
  BOOST_TEST(error_of(path, "") == "");
  BOOST_TEST(temporary::read(path) == "");
  BOOST_TEST(folder.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_not_committed_leaves_nothing) {
  temporary::folder const folder;
  char const* const path = folder.path("file");
  {
    io::atomic_file file{path};
    put(file, "half");
  }
  BOOST_TEST(folder.entries() == 0u);
  temporary::write(path, "old");
  try {
    io::atomic_file file{path};
    put(file, "half");
    BOOST_TEST(temporary::read(path) == "old");
    BOOST_TEST(folder.entries() == 2u);
    throw 3;
  } catch (int) {}
  BOOST_TEST(temporary::read(path) == "old");
  BOOST_TEST(folder.entries() == 1u);
}

// Several at once for one path: each has a file of its own, the last one that is committed stays.
BOOST_AUTO_TEST_CASE(writers_do_not_meet) {
  temporary::folder const folder;
  char const* const path = folder.path("file");
  {
    io::atomic_file one{path}, two{path}, three{path};
    put(one, "one");
    put(two, "two");
    put(three, "three");
    BOOST_TEST(folder.entries() == 3u);
    two.commit();
    BOOST_TEST(temporary::read(path) == "two");
    one.commit();
  }
  BOOST_TEST(temporary::read(path) == "one");
  BOOST_TEST(folder.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(paths_that_cannot_be_written) {
  temporary::folder const folder;
  BOOST_TEST(error_of(folder.path("no/such/file")) == "cannot be written: No such file or directory");
  BOOST_TEST(error_of(folder.path(".")) == "expected a file to write, got a folder");
  BOOST_TEST(error_of(folder.path("")) == "expected a file to write, got a folder");
  temporary::write(folder.path("file"), "old");
  BOOST_TEST(error_of(folder.path("file/below")) == "cannot be written: Not a directory");
  BOOST_TEST(error_of(folder.path(std::string(300, 'n'))) == "cannot be written: File name too long");
  BOOST_TEST(temporary::read(folder.path("file")) == "old");
  BOOST_TEST(folder.entries() == 1u);
  if (::geteuid() != 0) {  // who is root may write anywhere
    std::filesystem::permissions(folder.at(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    BOOST_TEST(error_of(folder.path("file")) == "cannot be written: Permission denied");
    std::filesystem::permissions(folder.at(), std::filesystem::perms::owner_all);
    BOOST_TEST(temporary::read(folder.path("file")) == "old");
  }
}

BOOST_AUTO_TEST_CASE(long_names) {
  temporary::folder const folder;
  // As long as a name may be, and as a path.
  std::string const longest(255, 'n');
  BOOST_TEST(error_of(folder.path(longest)) == "");
  BOOST_TEST(temporary::read(folder.path(longest)) == "new");
  BOOST_TEST(error_of(folder.path(longest), "newer") == "");
  BOOST_TEST(temporary::read(folder.path(longest)) == "newer");
  BOOST_TEST(error_of(folder.path(longest + "n")) == "cannot be written: File name too long");
  std::string path = folder.at().string();
  while (path.size() < 5000) path += "/./.";
  BOOST_TEST(error_of(path + "/file") == "cannot be written: File name too long");
  BOOST_TEST(error_of(path + "/" + longest, "newest") == "");
  BOOST_TEST(temporary::read(folder.path(longest)) == "newest");
  BOOST_TEST(folder.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(links_stay) {
  temporary::folder const folder;
  std::filesystem::create_directory(folder.path("below"));
  temporary::write(folder.path("below/file"), "old");
  std::filesystem::create_symlink("below/file", folder.path("link"));
  BOOST_TEST(error_of(folder.path("link")) == "");
  BOOST_TEST(std::filesystem::is_symlink(folder.path("link")));
  BOOST_TEST(!std::filesystem::is_symlink(folder.path("below/file")));
  BOOST_TEST(temporary::read(folder.path("below/file")) == "new");
  BOOST_TEST(folder.entries() == 2u);
  // One that points to nothing yet.
  std::filesystem::create_symlink("below/later", folder.path("other"));
  BOOST_TEST(error_of(folder.path("other")) == "");
  BOOST_TEST(std::filesystem::is_symlink(folder.path("other")));
  BOOST_TEST(temporary::read(folder.path("below/later")) == "new");
  // And in a circle.
  std::filesystem::create_symlink("circle", folder.path("circle"));
  BOOST_TEST(error_of(folder.path("circle")) == "cannot be written: Too many levels of symbolic links");
  BOOST_TEST(std::filesystem::is_symlink(folder.path("circle")));
  BOOST_TEST(folder.entries() == 4u);
}

BOOST_AUTO_TEST_CASE(access_stays) {
  temporary::folder const folder;
  mode_t const before = ::umask(027);
  BOOST_TEST(error_of(folder.path("new")) == "");
  ::umask(before);
  BOOST_TEST(mode_of(folder.path("new")) == 0640u);
  for (mode_t const mode : {0600u, 0644u, 0666u, 0755u}) {
    BOOST_REQUIRE(::chmod(folder.path("new"), mode) == 0);
    BOOST_TEST(error_of(folder.path("new")) == "");
    BOOST_TEST(mode_of(folder.path("new")) == mode);
  }
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_reported) {
  BOOST_TEST(error_of("/dev/full") == "cannot be written: No space left on device");
  BOOST_TEST(error_of("/dev/null") == "");
  struct stat facts {};
  BOOST_TEST(::stat("/dev/full", &facts) == 0);
  BOOST_TEST(S_ISCHR(facts.st_mode));
}

// A limit on the size of files is a disk that becomes full in the middle.
BOOST_AUTO_TEST_CASE(what_does_not_fit_leaves_the_old_file) {
  temporary::folder const folder;
  char const* const path = folder.path("file");
  temporary::write(path, "old");
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit const small{100000, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string const error_text = error_of(path, std::string(1000000, 'x'));
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  BOOST_TEST(error_text == "cannot be written: File too large");
  BOOST_TEST(temporary::read(path) == "old");
  BOOST_TEST(folder.entries() == 1u);
}

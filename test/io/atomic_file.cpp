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
std::string refusal(std::string const& path, std::string const& text = "new") {
  try {
    io::atomic_file file{path.c_str()};
    put(file, text);
    file.commit();
  } catch (io::write_error const& error) {
    // Of a very long path, its end.
    std::string const said = error.what(), name = path.size() < 256 ? path : "..." + path.substr(path.size() - 252);
    BOOST_TEST(said.rfind(name + ": ", 0) == 0u, said);
    return said.substr(name.size() + 2);
  }
  return {};
}
mode_t mode_of(char const* path) {
  struct stat facts {};
  BOOST_REQUIRE(::stat(path, &facts) == 0);
  return facts.st_mode & 07777;
}

}  // namespace

BOOST_AUTO_TEST_CASE(is_there_as_a_whole) {
  temporary::folder const there;
  char const* const path = there.path("file");
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
  BOOST_TEST(there.entries() == 1u);
  BOOST_TEST(refusal(path, "shorter") == "");
  BOOST_TEST(temporary::read(path) == "shorter");
  BOOST_TEST(refusal(path, "") == "");
  BOOST_TEST(temporary::read(path) == "");
  BOOST_TEST(there.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(what_is_not_committed_leaves_nothing) {
  temporary::folder const there;
  char const* const path = there.path("file");
  {
    io::atomic_file file{path};
    put(file, "half");
  }
  BOOST_TEST(there.entries() == 0u);
  temporary::write(path, "old");
  try {
    io::atomic_file file{path};
    put(file, "half");
    BOOST_TEST(temporary::read(path) == "old");
    BOOST_TEST(there.entries() == 2u);
    throw 3;
  } catch (int) {
  }
  BOOST_TEST(temporary::read(path) == "old");
  BOOST_TEST(there.entries() == 1u);
}

// Several at once for one path: each has a file of its own, the last one that is committed stays.
BOOST_AUTO_TEST_CASE(writers_do_not_meet) {
  temporary::folder const there;
  char const* const path = there.path("file");
  {
    io::atomic_file one{path}, two{path}, three{path};
    put(one, "one");
    put(two, "two");
    put(three, "three");
    BOOST_TEST(there.entries() == 3u);
    two.commit();
    BOOST_TEST(temporary::read(path) == "two");
    one.commit();
  }
  BOOST_TEST(temporary::read(path) == "one");
  BOOST_TEST(there.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(paths_that_cannot_be_written) {
  temporary::folder const there;
  BOOST_TEST(refusal(there.path("no/such/file")) == "cannot be written: No such file or directory");
  BOOST_TEST(refusal(there.path(".")) == "expected a file to write, came a folder");
  BOOST_TEST(refusal(there.path("")) == "expected a file to write, came a folder");
  temporary::write(there.path("file"), "old");
  BOOST_TEST(refusal(there.path("file/below")) == "cannot be written: Not a directory");
  BOOST_TEST(refusal(there.path(std::string(300, 'n'))) == "cannot be written: File name too long");
  BOOST_TEST(temporary::read(there.path("file")) == "old");
  BOOST_TEST(there.entries() == 1u);
  if (::geteuid() != 0) {  // who is root may write anywhere
    std::filesystem::permissions(there.at(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    BOOST_TEST(refusal(there.path("file")) == "cannot be written: Permission denied");
    std::filesystem::permissions(there.at(), std::filesystem::perms::owner_all);
    BOOST_TEST(temporary::read(there.path("file")) == "old");
  }
}

BOOST_AUTO_TEST_CASE(long_names) {
  temporary::folder const there;
  // As long as a name may be, and as a path.
  std::string const longest(255, 'n');
  BOOST_TEST(refusal(there.path(longest)) == "");
  BOOST_TEST(temporary::read(there.path(longest)) == "new");
  BOOST_TEST(refusal(there.path(longest), "newer") == "");
  BOOST_TEST(temporary::read(there.path(longest)) == "newer");
  BOOST_TEST(refusal(there.path(longest + "n")) == "cannot be written: File name too long");
  std::string path = there.at().string();
  while (path.size() < 5000) path += "/./.";
  BOOST_TEST(refusal(path + "/file") == "cannot be written: File name too long");
  BOOST_TEST(refusal(path + "/" + longest, "newest") == "");
  BOOST_TEST(temporary::read(there.path(longest)) == "newest");
  BOOST_TEST(there.entries() == 1u);
}

BOOST_AUTO_TEST_CASE(links_stay) {
  temporary::folder const there;
  std::filesystem::create_directory(there.path("below"));
  temporary::write(there.path("below/file"), "old");
  std::filesystem::create_symlink("below/file", there.path("link"));
  BOOST_TEST(refusal(there.path("link")) == "");
  BOOST_TEST(std::filesystem::is_symlink(there.path("link")));
  BOOST_TEST(!std::filesystem::is_symlink(there.path("below/file")));
  BOOST_TEST(temporary::read(there.path("below/file")) == "new");
  BOOST_TEST(there.entries() == 2u);
  // One that points to nothing yet.
  std::filesystem::create_symlink("below/later", there.path("other"));
  BOOST_TEST(refusal(there.path("other")) == "");
  BOOST_TEST(std::filesystem::is_symlink(there.path("other")));
  BOOST_TEST(temporary::read(there.path("below/later")) == "new");
  // And in a circle.
  std::filesystem::create_symlink("circle", there.path("circle"));
  BOOST_TEST(refusal(there.path("circle")) == "cannot be written: Too many levels of symbolic links");
  BOOST_TEST(std::filesystem::is_symlink(there.path("circle")));
  BOOST_TEST(there.entries() == 4u);
}

BOOST_AUTO_TEST_CASE(access_stays) {
  temporary::folder const there;
  mode_t const before = ::umask(027);
  BOOST_TEST(refusal(there.path("new")) == "");
  ::umask(before);
  BOOST_TEST(mode_of(there.path("new")) == 0640u);
  for (mode_t const mode : {0600u, 0644u, 0666u, 0755u}) {
    BOOST_REQUIRE(::chmod(there.path("new"), mode) == 0);
    BOOST_TEST(refusal(there.path("new")) == "");
    BOOST_TEST(mode_of(there.path("new")) == mode);
  }
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_said) {
  BOOST_TEST(refusal("/dev/full") == "cannot be written: No space left on device");
  BOOST_TEST(refusal("/dev/null") == "");
  struct stat facts {};
  BOOST_TEST(::stat("/dev/full", &facts) == 0);
  BOOST_TEST(S_ISCHR(facts.st_mode));
}

// A limit on the size of files is a disk that becomes full in the middle.
BOOST_AUTO_TEST_CASE(what_does_not_fit_leaves_the_old_file) {
  temporary::folder const there;
  char const* const path = there.path("file");
  temporary::write(path, "old");
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  rlimit const small{100000, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  std::string const said = refusal(path, std::string(1000000, 'x'));
  BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, handler);
  BOOST_TEST(said == "cannot be written: File too large");
  BOOST_TEST(temporary::read(path) == "old");
  BOOST_TEST(there.entries() == 1u);
}

// SPDX-License-Identifier: BSL-1.0
// A model of 100 MB from a file and to one, beside the least that these can be: the file's bytes read into memory,
// taken for them from the system or used before (by then the first touch of its pages is paid), and as many written and
// brought to the disk. The files lie in the folder for temporary files.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include <espalier.hpp>
#include <espalier/io/safetensors.hpp>

#include "harness.hpp"

namespace esp = espalier;
namespace io = espalier::io;
namespace nn = espalier::nn;

namespace {

using Net = nn::Sequential<nn::Linear<5000, 4000>, nn::Linear<4000, 1250>>;

class folder {
 public:
  folder() {
    std::string name = (std::filesystem::temp_directory_path() / "espalier-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no folder for temporary files"};
    at_ = name;
  }
  ~folder() {
    std::error_code ignored;
    std::filesystem::remove_all(at_, ignored);
  }
  std::string operator/(char const* name) const { return (at_ / name).string(); }

 private:
  std::filesystem::path at_;
};

/// The model and its files, made when the first implementation asks for them.
struct saved {
  folder in;
  std::string safetensors = in / "net.safetensors", other = in / "other", plain = in / "plain";
  esp::model<Net> model{esp::seed{1}};
  saved() { io::save_safetensors(safetensors.c_str(), model); }
};
saved& files() {
  static saved all;
  return all;
}

void read_into_memory(char const* path, bool fresh) {
  static char* used = nullptr;
  auto const map_memory = [](std::size_t size) {
    return static_cast<char*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  };
  int const file = ::open(path, O_RDONLY);
  struct stat facts {};
  if (file < 0 || ::fstat(file, &facts) != 0) throw std::runtime_error{"the file is gone"};
  auto const size = static_cast<std::size_t>(facts.st_size);
  if (!fresh && used == nullptr) used = map_memory(size);
  char* const at = fresh ? map_memory(size) : used;
  for (std::size_t read_bytes = 0; read_bytes < size;) {
    ssize_t const some = ::read(file, at + read_bytes, size - read_bytes);
    if (some <= 0) throw std::runtime_error{"the file cannot be read"};
    read_bytes += static_cast<std::size_t>(some);
  }
  ::close(file);
  if (fresh) ::munmap(at, size);
}
void write_and_fsync(char const* path, void const* data, std::size_t size) {
  (void)::unlink(path);  // a file that is written over gives its blocks back first
  int const file = ::open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (std::size_t written_bytes = 0; written_bytes < size;) {
    ssize_t const some = ::write(file, static_cast<char const*>(data) + written_bytes, size - written_bytes);
    if (some <= 0) throw std::runtime_error{"the file cannot be written"};
    written_bytes += static_cast<std::size_t>(some);
  }
  if (::fsync(file) != 0 || ::close(file) != 0) throw std::runtime_error{"the file cannot be written"};
}

constexpr double bytes = 4. * static_cast<double>(esp::parameter_count<Net>);
bench::row const load{"load 100 MB", {{1}}, {}, bytes, 0}, save{"save 100 MB", {{1}}, {}, bytes, 0};

bench::implementation const reading{
    "load 100 MB", "read", [](bench::operands) -> bench::work {
      return {bench::repeated([path = files().safetensors] { read_into_memory(path.c_str(), true); })};
    }};
bench::implementation const reading_again{
    "load 100 MB", "read into used memory", [](bench::operands) -> bench::work {
      return {bench::repeated([path = files().safetensors] { read_into_memory(path.c_str(), false); })};
    }};
bench::implementation const safetensors{
    "load 100 MB", "espalier", [](bench::operands) -> bench::work {
      return {bench::repeated([] { io::load_safetensors(files().safetensors.c_str(), files().model); })};
    }};
bench::implementation const writing{"save 100 MB", "write and fsync", [](bench::operands) -> bench::work {
                                      return {bench::repeated([] {
                                        write_and_fsync(files().plain.c_str(), files().model.parameters().data(),
                                                        static_cast<std::size_t>(bytes));
                                      })};
                                    }};
bench::implementation const to_safetensors{
    "save 100 MB", "espalier", [](bench::operands) -> bench::work {
      return {bench::repeated([] { io::save_safetensors(files().other.c_str(), files().model); })};
    }};

}  // namespace

// SPDX-License-Identifier: BSL-1.0
// The steps of functions.cpp in PyTorch and JAX: each implementation is a process of functions_python.py, which takes
// its turn when a line reaches it. Left out unless the variable ESPALIER_BENCH_PYTHON names an interpreter that has
// both.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <stdexcept>

#include "functions.hpp"

namespace {

using namespace bench;

/// A process with a pipe to it and one from it, and the file of its operands and results.
class process {
 public:
  process(char const* interpreter, std::string const& row, std::string const& implementation) {
    int const file = mkstemp(path_.data());
    int to[2], from[2];
    if (file < 0 || pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("no pipe to Python");
    close(file);
    in_ = to[1], out_ = fdopen(from[0], "r");
    interpreter_ = interpreter, row_ = row, implementation_ = implementation;
    ends_[0] = to[0], ends_[1] = from[1];
  }
  process(process const&) = delete;
  ~process() {
    close(in_);
    std::fclose(out_);
    if (id_ > 0) waitpid(id_, nullptr, 0);
    std::remove(path_.c_str());
  }
  /// Starts it, once the operands are in the file.
  void start() {
    id_ = fork();
    if (id_ == 0) {
      dup2(ends_[0], 0), dup2(ends_[1], 1);
      // So that the pipes of this process and of those before it end with the parent.
      for (int i = 3; i < 256; ++i) close(i);
      execlp(interpreter_.c_str(), interpreter_.c_str(), BENCH_FOLDER "/functions_python.py", row_.c_str(),
             implementation_.c_str(), path_.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(ends_[0]), close(ends_[1]);
    if (line() != "ready\n") throw std::runtime_error(implementation_ + " does not run " + row_);
  }
  std::string asked(std::string const& question) {
    if (write(in_, (question + "\n").c_str(), question.size() + 1) < 0) throw std::runtime_error("Python has ended");
    return line();
  }
  char const* path() const { return path_.c_str(); }

 private:
  std::string line() {
    char text[64];
    return std::fgets(text, sizeof text, out_) != nullptr ? text : "";
  }
  std::string path_ = "/tmp/espalier_bench_XXXXXX", interpreter_, row_, implementation_;
  int in_, ends_[2];
  std::FILE* out_;
  pid_t id_ = 0;
};

/// The floats of some operands, to a file or from it.
template <class Operands>
void transfer(char const* path, char const* mode, std::size_t (*move)(void*, std::size_t, std::size_t, std::FILE*),
              Operands const& what, float* const* at) {
  std::FILE* const file = std::fopen(path, mode);
  bool fine = file != nullptr;
  for (auto const& each : what) fine = fine && move(*at++, sizeof(float), each.count, file) == each.count;
  if (file != nullptr) fine = std::fclose(file) == 0 && fine;
  if (!fine) throw std::runtime_error("the file of operands is not complete");
}

work prepare(function_row const& r, char const* implementation, operands o) {
  char const* const interpreter = std::getenv("ESPALIER_BENCH_PYTHON");
  if (interpreter == nullptr) return {};
  auto const p = std::make_shared<process>(interpreter, r.name.substr(r.name.find('/') + 1), implementation);
  auto const written = [](void* from, std::size_t size, std::size_t count, std::FILE* file) {
    return std::fwrite(from, size, count, file);
  };
  transfer(p->path(), "wb", written, r.in(), o.in);
  try {
    p->start();
  } catch (std::runtime_error const& fault) {
    std::fprintf(stderr, "absent: %s\n", fault.what());
    return {};
  }
  return {[](long) {},
          [=, &r] {
            p->asked("results");
            transfer(p->path(), "rb", std::fread, r.out(), o.out);
          },
          [=](long) { return std::atof(p->asked("time").c_str()); }};
}

struct implementations {
  std::list<implementation> all;
  implementations() {
    for (auto const& r : function_rows())
      for (char const* name : {"jax", "jax_forward", "torch_eager", "torch_compiled"})
        if (name != std::string("jax_forward") || r.name == "function_step/pinn")
          all.emplace_back(
              r.name, name, [=, &r](operands o) { return prepare(r, name, o); }, library);
  }
} const these;

}  // namespace

// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.hpp"
/// Rows in Python's libraries: each implementation is a process of a script of this folder, which takes its turn when a
/// line reaches it (python_turns.py). Left out unless the variable ESPALIER_BENCH_PYTHON names an interpreter that has
/// the libraries.
namespace bench {

/// A process with a pipe to it and one from it, and the file of its operands and results.
class process {
 public:
  process(char const* interpreter, char const* script, std::string const& row, std::string const& implementation) {
    int const file = mkstemp(path_.data());
    int to[2], from[2];
    if (file < 0 || pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("no pipe to Python");
    close(file);
    in_ = to[1], out_ = fdopen(from[0], "r");
    interpreter_ = interpreter, script_ = std::string(BENCH_FOLDER "/") + script, row_ = row,
    implementation_ = implementation;
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
      execlp(interpreter_.c_str(), interpreter_.c_str(), script_.c_str(), row_.c_str(), implementation_.c_str(),
             path_.c_str(), static_cast<char*>(nullptr));
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
  std::string path_ = "/tmp/espalier_bench_XXXXXX", interpreter_, script_, row_, implementation_;
  int in_, ends_[2];
  std::FILE* out_;
  pid_t id_ = 0;
};

/// The floats of some operands, to a file or from it.
template <class Operands>
inline void transfer(char const* path, char const* mode,
                     std::size_t (*move)(void*, std::size_t, std::size_t, std::FILE*), Operands const& what,
                     float* const* at) {
  std::FILE* const file = std::fopen(path, mode);
  bool fine = file != nullptr;
  for (auto const& each : what) fine = fine && move(*at++, sizeof(float), each.count, file) == each.count;
  if (file != nullptr) fine = std::fclose(file) == 0 && fine;
  if (!fine) throw std::runtime_error("the file of operands is not complete");
}

/// The work of `implementation` in the script. The operands go through a file, and the results come back in it.
inline work work_in_python(char const* script, std::string const& row, char const* implementation,
                           std::vector<input> const& in, std::vector<output> const& out, operands o) {
  char const* const interpreter = std::getenv("ESPALIER_BENCH_PYTHON");
  if (interpreter == nullptr) return {};
  auto const p = std::make_shared<process>(interpreter, script, row, implementation);
  auto const written = [](void* from, std::size_t size, std::size_t count, std::FILE* file) {
    return std::fwrite(from, size, count, file);
  };
  transfer(p->path(), "wb", written, in, o.in);
  try {
    p->start();
  } catch (std::runtime_error const& fault) {
    std::fprintf(stderr, "absent: %s\n", fault.what());
    return {};
  }
  return {[](long) {},
          [=] {
            p->asked("results");
            transfer(p->path(), "rb", std::fread, out, o.out);
          },
          [=](long) { return std::atof(p->asked("time").c_str()); }};
}

/// The same for a row whose operands another translation unit declares.
inline work work_in_python(char const* script, std::string const& row, char const* implementation, operands o) {
  operand_counts const counts = counts_of(row);
  return work_in_python(script, row, implementation, counts.in, counts.out, o);
}

}  // namespace bench

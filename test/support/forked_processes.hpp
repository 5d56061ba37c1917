// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

#include <espalier/device/distributed/processes.hpp>

/// Processes that a test forks, connected by sockets: for graphics processors, of which a process of its own has one,
/// and for processes that end. Nothing has to be installed.
namespace test {

namespace esp = espalier;

class forked_process : public esp::processes {
 public:
  /// sockets[channel][k]: the connection to process k
  forked_process(int rank, int size, std::vector<std::vector<int>> sockets) : sockets_{std::move(sockets)} {
    rank_ = local_rank_ = rank;
    size_ = size;
  }
  void scatter(transfer& t, channel c, void const* from, pieces sent, void* to, pieces received) override {
    operation o;
    for (int k = 0; k < size_; ++k) {
      auto const at = [&](pieces p) { return static_cast<std::size_t>(p.first[k]) * line; };
      auto const bytes = [&](pieces p) { return k == rank_ ? 0 : static_cast<std::size_t>(p.count[k]) * line; };
      o.out.push_back({const_cast<unsigned char*>(static_cast<unsigned char const*>(from)) + at(sent), bytes(sent)});
      o.in.push_back({static_cast<unsigned char*>(to) + at(received), bytes(received)});
    }
    start(t, c, std::move(o));
  }
  void gather(transfer& t, channel c, void* at, pieces all) override {
    operation o;
    auto* const lines = static_cast<unsigned char*>(at);
    for (int k = 0; k < size_; ++k) {
      auto const piece = [&](int i) {
        return part{lines + static_cast<std::size_t>(all.first[i]) * line,
                    k == rank_ ? 0 : static_cast<std::size_t>(all.count[i]) * line};
      };
      o.out.push_back(piece(rank_));
      o.in.push_back(piece(k));
    }
    start(t, c, std::move(o));
  }
  bool is_complete(transfer& t) override {
    if (!t.pending) return true;
    for (int c = 0; c < channels; ++c) progress(c);
    int c = 0;
    long number = 0;
    std::memcpy(&c, t.request, sizeof c);
    std::memcpy(&number, t.request + sizeof(void*), sizeof number);
    t.pending = number >= done_[c];
    if (!t.pending && c == static_cast<int>(channel::headers) && seconds_after_header >= 0) {
      ::sleep(static_cast<unsigned>(seconds_after_header));
      ::_exit(0);
    }
    return !t.pending;
  }
  /// Not negative: the process takes part in the next exchange of headers, and then only lives so many seconds.
  int seconds_after_header = -1;
  double now() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void yield() override { ::sched_yield(); }

 private:
  struct part {
    unsigned char* at;
    std::size_t bytes;
  };
  struct operation {
    std::vector<part> out, in;
  };
  void start(transfer& t, channel c, operation o) {
    int const number = static_cast<int>(c);
    std::memcpy(t.request, &number, sizeof number);
    std::memcpy(t.request + sizeof(void*), &started_[number], sizeof started_[number]);
    ++started_[number];
    t.pending = true;
    under_way_[number].push_back(std::move(o));
    progress(number);
  }
  /// Sends and receives what is possible without waiting. The exchanges of a channel are in order.
  void progress(int c) {
    while (!under_way_[c].empty()) {
      operation& o = under_way_[c].front();
      bool is_done = true;
      for (int k = 0; k < size_; ++k) {
        auto const i = static_cast<std::size_t>(k);
        int const socket = sockets_[static_cast<std::size_t>(c)][i];
        move(o.out[i], k, [&](part& p) { return ::send(socket, p.at, p.bytes, MSG_DONTWAIT | MSG_NOSIGNAL); });
        move(o.in[i], k, [&](part& p) { return ::recv(socket, p.at, p.bytes, MSG_DONTWAIT); });
        is_done = is_done && o.out[i].bytes == 0 && o.in[i].bytes == 0;
      }
      if (!is_done) return;
      under_way_[c].pop_front();
      ++done_[c];
    }
  }
  template <class Call>
  void move(part& p, int k, Call const& call) {
    while (p.bytes > 0) {
      ssize_t const n = call(p);
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
      if (n <= 0) {
        esp::detail::error_text text;
        throw esp::distributed_error{text << "process " << rank_ << " of " << size_ << ": process " << k
                                          << " has ended"};
      }
      p.at += n;
      p.bytes -= static_cast<std::size_t>(n);
    }
  }

  std::vector<std::vector<int>> sockets_;
  std::deque<operation> under_way_[channels];
  long started_[channels]{}, done_[channels]{};
};

/// How a process ended.
struct ended {
  std::string error;           ///< the text of its exception, or ""
  std::vector<float> numbers;  ///< what f returned
  bool has_answered = false;   ///< false: it ended by itself, in f
};

/// Runs f(process) in so many processes, and waits for all. f returns numbers.
template <class F>
std::vector<ended> as_forked_processes(int count, F const& f, double time_limit = 30) {
  auto const n = static_cast<std::size_t>(count);
  // ends[channel][a][b]: the end of process a of its connection to process b
  std::vector<std::vector<std::vector<int>>> ends(esp::processes::channels,
                                                  std::vector<std::vector<int>>(n, std::vector<int>(n, -1)));
  for (auto& of_channel : ends)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b) {
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) throw std::runtime_error{"no sockets"};
        of_channel[a][b] = pair[0];
        of_channel[b][a] = pair[1];
      }
  std::vector<int> answers;
  std::vector<pid_t> children;
  for (int k = 0; k < count; ++k) {
    int pipe[2];
    if (::pipe(pipe) != 0) throw std::runtime_error{"no pipe"};
    pid_t const child = ::fork();
    if (child < 0) throw std::runtime_error{"no process"};
    if (child == 0) {
      std::vector<std::vector<int>> own;
      for (auto const& of_channel : ends) {
        for (std::size_t a = 0; a < n; ++a)
          for (int const socket : of_channel[a])
            if (a != static_cast<std::size_t>(k) && socket >= 0) ::close(socket);
        own.push_back(of_channel[static_cast<std::size_t>(k)]);
      }
      std::string error;
      std::vector<float> numbers;
      try {
        forked_process process{k, count, own};
        process.set_time_limit(time_limit);
        numbers = f(process);
      } catch (std::exception const& e) {
        error = e.what();
      }
      std::size_t const sizes[2]{error.size(), numbers.size()};
      auto const answer = [&](void const* at, std::size_t bytes) {
        for (auto const* p = static_cast<char const*>(at); bytes > 0;) {
          ssize_t const written = ::write(pipe[1], p, bytes);
          if (written <= 0) ::_exit(2);
          p += written;
          bytes -= static_cast<std::size_t>(written);
        }
      };
      answer(sizes, sizeof sizes);
      answer(error.data(), error.size());
      answer(numbers.data(), numbers.size() * sizeof(float));
      ::_exit(0);
    }
    ::close(pipe[1]);
    answers.push_back(pipe[0]);
    children.push_back(child);
  }
  for (auto& of_channel : ends)
    for (auto& of_process : of_channel)
      for (int const socket : of_process)
        if (socket >= 0) ::close(socket);
  std::vector<ended> r(n);
  for (std::size_t k = 0; k < n; ++k) {
    auto const read = [&](void* at, std::size_t bytes) {
      for (auto* p = static_cast<char*>(at); bytes > 0;) {
        ssize_t const got = ::read(answers[k], p, bytes);
        if (got <= 0) return false;
        p += got;
        bytes -= static_cast<std::size_t>(got);
      }
      return true;
    };
    std::size_t sizes[2]{};
    if (read(sizes, sizeof sizes)) {
      r[k].error.resize(sizes[0]);
      r[k].numbers.resize(sizes[1]);
      r[k].has_answered = read(r[k].error.data(), sizes[0]) && read(r[k].numbers.data(), sizes[1] * sizeof(float));
    }
    ::close(answers[k]);
  }
  for (pid_t const child : children) ::waitpid(child, nullptr, 0);
  return r;
}

}  // namespace test

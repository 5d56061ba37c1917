// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <chrono>

#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <espalier/device/distributed/processes.hpp>

/// Processes that are threads of a test. An exchange completes in several calls of is_complete, as if it took time, and
/// a process that ends leaves the others waiting.
namespace test {

namespace esp = espalier;

/// What the threads share.
class meeting {
 public:
  explicit meeting(int size) : size_{size} {}
  int size() const { return size_; }

 private:
  friend class thread_process;
  struct side {
    unsigned char const* from = nullptr;
    unsigned char* to = nullptr;
    std::vector<int> sent, sent_first, received, received_first;
    bool is_posted = false, has_copied = false;
  };
  struct operation {
    std::vector<side> of;
    int copied = 0;
  };
  int size_;
  std::mutex lock_;
  std::map<std::pair<int, long>, operation> operations_;
};

class thread_process : public esp::processes {
 public:
  thread_process(std::shared_ptr<meeting> where, int rank) : where_{std::move(where)} {
    rank_ = rank;
    size_ = where_->size();
    local_rank_ = rank;
  }
  void scatter(transfer& t, channel c, void const* from, pieces sent, void* to, pieces received) override {
    if (scatters_left-- == 0) throw std::runtime_error{"this process ends"};
    post(t, c, from, sent, to, received);
  }
  void gather(transfer& t, channel c, void* at, pieces all) override {
    // Each sends its own piece to all others.
    std::vector<int> const counts(static_cast<std::size_t>(size_), all.count[rank_]),
        firsts(static_cast<std::size_t>(size_), all.first[rank_]);
    post(t, c, at, {counts.data(), firsts.data()}, at, all);
  }
  bool is_complete(transfer& t) override {
    if (!t.pending) return true;
    // Completes late, and not in the order of the starts.
    if (random_ = random_ * 6364136223846793005u + 1442695040888963407u; random_ >> 61 != 0) return false;
    std::pair<int, long> key;
    std::memcpy(&key.first, t.request, sizeof key.first);
    std::memcpy(&key.second, t.request + sizeof(void*), sizeof key.second);
    std::scoped_lock const guard{where_->lock_};
    auto& operation = where_->operations_.at(key);
    auto& own = operation.of[static_cast<std::size_t>(rank_)];
    if (!own.has_copied) {
      for (auto const& side : operation.of)
        if (!side.is_posted) return false;
      for (int k = 0; k < size_; ++k) {
        if (k == rank_) continue;
        auto const& other = operation.of[static_cast<std::size_t>(k)];
        auto const me = static_cast<std::size_t>(rank_), they = static_cast<std::size_t>(k);
        if (other.sent[me] != own.received[they]) mismatches_ = true;
        if (own.received[they] == 0) continue;
        std::memcpy(own.to + static_cast<std::size_t>(own.received_first[they]) * line,
                    other.from + static_cast<std::size_t>(other.sent_first[me]) * line,
                    static_cast<std::size_t>(own.received[they]) * line);
        bytes_ += other.sent[me] * static_cast<long>(line);
      }
      own.has_copied = true;
      ++operation.copied;
    }
    if (operation.copied < size_) return false;
    t.pending = false;
    return true;
  }
  double now() override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void yield() override { std::this_thread::yield(); }
  /// This process ends instead of the scatter after so many.
  long scatters_left = -1;
  bool has_mismatches() const { return mismatches_; }
  long received_bytes() const { return bytes_; }

 private:
  void post(transfer& t, channel c, void const* from, pieces sent, void* to, pieces received) {
    int const number = static_cast<int>(c);
    std::pair<int, long> const key{number, count_[number]++};
    std::scoped_lock const guard{where_->lock_};
    auto& operation = where_->operations_[key];
    operation.of.resize(static_cast<std::size_t>(size_));
    auto& own = operation.of[static_cast<std::size_t>(rank_)];
    own.from = static_cast<unsigned char const*>(from);
    own.to = static_cast<unsigned char*>(to);
    own.sent.assign(sent.count, sent.count + size_);
    own.sent_first.assign(sent.first, sent.first + size_);
    own.received.assign(received.count, received.count + size_);
    own.received_first.assign(received.first, received.first + size_);
    own.is_posted = true;
    std::memcpy(t.request, &key.first, sizeof key.first);
    std::memcpy(t.request + sizeof(void*), &key.second, sizeof key.second);
    t.pending = true;
  }

  std::shared_ptr<meeting> where_;
  long count_[channels]{};
  long bytes_ = 0;
  std::uint64_t random_ = 88172645463325252u;
  bool mismatches_ = false;
};

/// A check within a process: Boost.Test's own are for one thread.
inline void expect(bool truth, char const* sentence) {
  if (!truth) throw std::runtime_error{std::string{"expected "} + sentence};
}

/// Runs f(process) as so many processes, and waits for all. Returns the text of the exception that each ended with, or "".
template <class F>
std::vector<std::string> as_processes(int count, F const& f, double time_limit = 20) {
  auto const where = std::make_shared<meeting>(count);
  std::vector<std::string> errors(static_cast<std::size_t>(count));
  std::vector<std::thread> threads;
  for (int k = 0; k < count; ++k)
    threads.emplace_back([&, k] {
      thread_process process{where, k};
      process.set_time_limit(time_limit);
      try {
        f(process);
        if (process.has_mismatches()) errors[static_cast<std::size_t>(k)] = "sizes differ";
      } catch (std::exception const& error) {
        errors[static_cast<std::size_t>(k)] = error.what();
      }
    });
  for (auto& t : threads) t.join();
  return errors;
}

}  // namespace test

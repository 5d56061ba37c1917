// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../processes.hpp"

// The bindings of MPI for C++ were removed from the standard in 2012; OpenMPI and MPICH include theirs unless told not
// to.
#if !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>

namespace espalier {

/// The processes that mpirun has started. Construct one at the beginning of main, before any thread.
///
///     esp::mpi processes;
///     esp::model<Net, esp::distributed<>> model{esp::seed{0}, processes};
///
/// end      MPI ends with it, unless the program had started MPI before. If an exception ends this process, MPI is not
///          ended, and mpirun ends the others, which would wait for this one
/// threads  all calls come from the thread that constructed it
/// errors   distributed_error: MPI reports an error, or another process has ended (noticed within half a second on the
///          same computer) or has not answered within time_limit(). Nothing can be exchanged after that, but this process
///          goes on
class mpi : public processes {
 public:
  mpi() {
    int is_running = 0;
    MPI_Initialized(&is_running);
    if (is_running == 0) {
      int provided = 0;
      check_call(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
      has_started_ = true;
    }
    check_call(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check_call(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
    for (MPI_Comm& c : of_channel_) {
      check_call(MPI_Comm_dup(MPI_COMM_WORLD, &c), "MPI_Comm_dup");
      check_call(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    }
    check_call(MPI_Type_contiguous(static_cast<int>(line), MPI_BYTE, &line_type_), "MPI_Type_contiguous");
    check_call(MPI_Type_commit(&line_type_), "MPI_Type_commit");
    MPI_Comm here = MPI_COMM_NULL;
    check_call(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &here),
               "MPI_Comm_split_type");
    check_call(MPI_Comm_rank(here, &local_rank_), "MPI_Comm_rank");
    MPI_Comm_free(&here);
    meet_peers();
  }
  ~mpi() override {
    delete[] peers_;
    // MPI_Finalize would wait for the others: after a failure for those that have ended, and while an exception ends
    // this process, for those that wait for it. They end when mpirun sees that this one does without it.
    if (has_failed_ || std::uncaught_exceptions() > exceptions_before_) return;
    MPI_Type_free(&line_type_);
    for (MPI_Comm& c : of_channel_) MPI_Comm_free(&c);
    if (has_started_) MPI_Finalize();
  }

  void scatter(transfer& t, channel c, void const* from, pieces sent, void* to, pieces received) override {
    start(
        t,
        [&](MPI_Request* r) {
          return MPI_Ialltoallv(from, sent.count, sent.first, line_type_, to, received.count, received.first,
                                line_type_, of_channel_[static_cast<int>(c)], r);
        },
        "MPI_Ialltoallv");
  }
  void gather(transfer& t, channel c, void* at, pieces all) override {
    start(
        t,
        [&](MPI_Request* r) {
          return MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, at, all.count, all.first, line_type_,
                                 of_channel_[static_cast<int>(c)], r);
        },
        "MPI_Iallgatherv");
  }
  bool is_complete(transfer& t) override {
    if (!t.pending) return true;
    reject_after_failure();
    MPI_Request r;
    std::memcpy(&r, t.request, sizeof r);
    int done = 0;
    check_call(MPI_Test(&r, &done, MPI_STATUS_IGNORE), "MPI_Test");
    std::memcpy(t.request, &r, sizeof r);
    t.pending = done == 0;
    return !t.pending;
  }
  double now() override { return MPI_Wtime(); }
  void yield() override { ::sched_yield(); }
  void check(double waited, std::int64_t step) override {
    for (int k = 0; k < size_; ++k)
      if (has_ended(k)) {
        has_failed_ = true;
        detail::error_text text;
        detail::raise(distributed_error{text << "process " << rank_ << " of " << size_ << ": process " << k
                                             << " has ended at step " << step});
      }
    if (waited >= time_limit_) has_failed_ = true;
    processes::check(waited, step);
  }

 private:
  /// Where a process is: processes of one computer see whether the others are alive.
  struct peer {
    char computer[MPI_MAX_PROCESSOR_NAME];
    char namespace_of_numbers[64];
    pid_t number;
  };

  void check_call(int result, char const* call) {
    if (result == MPI_SUCCESS) return;
    has_failed_ = true;
    char words[MPI_MAX_ERROR_STRING]{};
    int size = 0;
    MPI_Error_string(result, words, &size);
    detail::error_text text;
    detail::raise(distributed_error{text << "process " << rank_ << " of " << size_ << ": " << call << ": " << words});
  }
  void reject_after_failure() const {
    if (!has_failed_) return;
    detail::error_text text;
    detail::raise(distributed_error{text << "process " << rank_ << " of " << size_
                                         << ": nothing can be exchanged any more, because an exchange has failed"});
  }
  template <class Call>
  void start(transfer& t, Call const& call, char const* name) {
    reject_after_failure();
    MPI_Request r;
    check_call(call(&r), name);
    static_assert(sizeof r <= sizeof t.request);
    std::memcpy(t.request, &r, sizeof r);
    t.pending = true;
  }
  void meet_peers() {
    peers_ = new peer[static_cast<std::size_t>(size_)]{};
    peer& own = peers_[rank_];
    int size = 0;
    check_call(MPI_Get_processor_name(own.computer, &size), "MPI_Get_processor_name");
    if (::readlink("/proc/self/ns/pid", own.namespace_of_numbers, sizeof own.namespace_of_numbers - 1) < 0)
      own.namespace_of_numbers[0] = 0;
    own.number = ::getpid();
    check_call(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, peers_, static_cast<int>(sizeof(peer)), MPI_BYTE,
                             of_channel_[0]),
               "MPI_Allgather");
  }
  bool has_ended(int k) const {
    peer const &own = peers_[rank_], &other = peers_[k];
    return k != rank_ && std::strcmp(own.computer, other.computer) == 0 && own.namespace_of_numbers[0] != 0 &&
           std::strcmp(own.namespace_of_numbers, other.namespace_of_numbers) == 0 && ::kill(other.number, 0) != 0 &&
           errno == ESRCH;
  }

  MPI_Comm of_channel_[channels]{};
  MPI_Datatype line_type_{};
  peer* peers_ = nullptr;
  int exceptions_before_ = std::uncaught_exceptions();
  bool has_started_ = false, has_failed_ = false;
};

}  // namespace espalier
#include "../../../base/diagnostics_pop.hpp"

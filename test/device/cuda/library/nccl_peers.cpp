// SPDX-License-Identifier: BSL-1.0
// What nccl_peers asks of NCCL and of the CUDA runtime, with stand-ins for both in this file: processes are threads,
// memory of a device is memory of the host, and streams run when an event of theirs is asked for. Calls of NCCL are
// late, as those of a communicator that does not block may be. Exchanges on devices are in
// device/cuda/on_device/cuda_distributed.cpp.
#define BOOST_TEST_MODULE device_cuda_library_nccl_peers
#include <boost/test/unit_test.hpp>

#if defined(ESPALIER_NCCL)
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

// The library calls these instead: the names of the CUDA runtime are taken where it is linked statically.
#define cudaGetDeviceCount stand_in_cudaGetDeviceCount
#define cudaGetDevice stand_in_cudaGetDevice
#define cudaDeviceGetAttribute stand_in_cudaDeviceGetAttribute
#define cudaMemPoolCreate stand_in_cudaMemPoolCreate
#define cudaMemPoolSetAttribute stand_in_cudaMemPoolSetAttribute
#define cudaMemPoolDestroy stand_in_cudaMemPoolDestroy
#define cudaStreamCreateWithFlags stand_in_cudaStreamCreateWithFlags
#define cudaStreamDestroy stand_in_cudaStreamDestroy
#define cudaStreamIsCapturing stand_in_cudaStreamIsCapturing
#define cudaStreamSynchronize stand_in_cudaStreamSynchronize
#define cudaStreamWaitEvent stand_in_cudaStreamWaitEvent
#define cudaMallocFromPoolAsync stand_in_cudaMallocFromPoolAsync
#define cudaFreeAsync stand_in_cudaFreeAsync
#define cudaMemsetAsync stand_in_cudaMemsetAsync
#define cudaMemcpyAsync stand_in_cudaMemcpyAsync
#define cudaHostAlloc stand_in_cudaHostAlloc
#define cudaFreeHost stand_in_cudaFreeHost
#define cudaEventCreateWithFlags stand_in_cudaEventCreateWithFlags
#define cudaEventDestroy stand_in_cudaEventDestroy
#define cudaEventRecord stand_in_cudaEventRecord
#define cudaEventQuery stand_in_cudaEventQuery
#define cudaEventSynchronize stand_in_cudaEventSynchronize
#define cudaGetLastError stand_in_cudaGetLastError
#define ncclGetUniqueId stand_in_ncclGetUniqueId
#define ncclCommInitRankConfig stand_in_ncclCommInitRankConfig
#define ncclCommGetAsyncError stand_in_ncclCommGetAsyncError
#define ncclCommAbort stand_in_ncclCommAbort
#define ncclGroupStart stand_in_ncclGroupStart
#define ncclGroupEnd stand_in_ncclGroupEnd
#define ncclSend stand_in_ncclSend
#define ncclRecv stand_in_ncclRecv
#define ncclAllGather stand_in_ncclAllGather
#define ncclGetErrorString stand_in_ncclGetErrorString
#define ncclGetLastError stand_in_ncclGetLastError

namespace {
/// Work of a stream: returns whether it is done.
struct stream {
  std::deque<std::function<bool()>> work;
  void progress() {
    while (!work.empty() && work.front()()) work.pop_front();
  }
};
struct event {
  bool is_done = true;
  stream* on = nullptr;
};
/// What processes have sent: for each communicator, sender and receiver.
struct network {
  std::mutex lock;
  std::map<std::vector<long>, std::deque<std::vector<char>>> messages;
  long ids = 0;
};
network sent;

struct communicator {
  long id;
  int rank, size, late;
  bool is_aborted = false;
  ncclResult_t state = ncclSuccess;
};
struct transfer {
  void const* from;
  void* to;
  std::size_t bytes;
  int peer;
  bool is_done = false;
};
/// A group of calls, which are one piece of work.
thread_local struct {
  int depth = 0;
  std::vector<transfer> calls;
  communicator* of = nullptr;
  stream* on = nullptr;
} group;
/// What tests look at, and make fail.
thread_local struct {
  int aborts = 0, polls = 0, open_groups = 0, calls_while_late = 0;
  bool fails_to_begin = false, fails_to_send = false, fails_later = false;
} seen;

bool run(communicator& of, std::vector<transfer>& calls) {
  if (of.is_aborted) return true;
  std::scoped_lock const guard{sent.lock};
  bool all_are_done = true;
  for (auto& c : calls) {
    if (c.is_done) continue;
    if (c.from != nullptr) {
      sent.messages[{of.id, of.rank, c.peer}].emplace_back(static_cast<char const*>(c.from),
                                                           static_cast<char const*>(c.from) + c.bytes);
      c.is_done = true;
      continue;
    }
    auto& waiting = sent.messages[{of.id, c.peer, of.rank}];
    if (waiting.empty()) {
      all_are_done = false;
      continue;
    }
    if (waiting.front().size() != c.bytes) std::abort();
    std::memcpy(c.to, waiting.front().data(), c.bytes);
    waiting.pop_front();
    c.is_done = true;
  }
  return all_are_done;
}
/// NCCL's rule: while a call of a communicator that does not block is on its way, only its state may be asked for.
void check_settled(communicator const& of) {
  if (of.late > 0) ++seen.calls_while_late;
}
ncclResult_t queue() {
  if (group.of == nullptr) return ncclSuccess;
  check_settled(*group.of);
  group.on->work.push_back([of = group.of, calls = group.calls]() mutable { return run(*of, calls); });
  group.of->late = 3;
  group.calls.clear();
  group.of = nullptr;
  return ncclInProgress;
}
ncclResult_t add(transfer const& t, ncclComm_t of, cudaStream_t on) {
  group.calls.push_back(t);
  group.of = reinterpret_cast<communicator*>(of);
  group.on = reinterpret_cast<stream*>(on);
  return group.depth > 0 ? ncclSuccess : queue();
}
stream& at(cudaStream_t s) { return *reinterpret_cast<stream*>(s); }
}  // namespace

namespace {
cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) { return *value = 9, cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, cudaMemPoolProps const*) {
  *pool = reinterpret_cast<cudaMemPool_t>(pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) {
  *s = reinterpret_cast<cudaStream_t>(new stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) { return delete &at(s), cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  return *status = cudaStreamCaptureStatusNone, cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  while (!at(s).work.empty()) at(s).progress();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  auto* const waits_for = reinterpret_cast<event*>(e);
  at(s).work.push_back([waits_for] {
    if (waits_for->on != nullptr) waits_for->on->progress();
    return waits_for->is_done;
  });
  return cudaSuccess;
}
cudaError_t cudaMallocFromPoolAsync(void** to, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
  return *to = std::aligned_alloc(256, (bytes + 255) / 256 * 256), cudaSuccess;
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t s) {
  at(s).work.push_back([memory] { return std::free(memory), true; });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t s) {
  at(s).work.push_back([=] { return std::memset(to, value, bytes), true; });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, void const* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t s) {
  at(s).work.push_back([=] { return std::memcpy(to, from, bytes), true; });
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** to, std::size_t bytes, unsigned) { return *to = std::malloc(bytes), cudaSuccess; }
cudaError_t cudaFreeHost(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* e, unsigned) {
  *e = reinterpret_cast<cudaEvent_t>(new event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }  // work may still refer to it
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  auto* const recorded = reinterpret_cast<event*>(e);
  *recorded = {false, &at(s)};
  at(s).work.push_back([recorded] { return recorded->is_done = true; });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) {
  auto* const asked = reinterpret_cast<event*>(e);
  if (asked->on != nullptr) asked->on->progress();
  return asked->is_done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  while (cudaEventQuery(e) != cudaSuccess) {}
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::scoped_lock const guard{sent.lock};
  ++sent.ids;
  std::memset(id->internal, 7, sizeof id->internal);
  std::memcpy(id->internal + 100, &sent.ids, sizeof sent.ids);  // not within the first line
  return ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int size, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (config->blocking != 0) std::abort();
  auto* const c = new communicator{0, rank, size, 5};
  std::memcpy(&c->id, id.internal + 100, sizeof c->id);
  if (seen.fails_to_begin) c->state = ncclInvalidUsage;
  *made = reinterpret_cast<ncclComm_t>(c);
  return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t of, ncclResult_t* state) {
  auto& c = *reinterpret_cast<communicator*>(of);
  ++seen.polls;
  if (seen.fails_later && c.late == 0) c.state = ncclRemoteError;
  *state = c.late > 0 && c.late-- > 0 ? ncclInProgress : c.state;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t of) {
  ++seen.aborts;
  reinterpret_cast<communicator*>(of)->is_aborted = true;
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() { return ++group.depth, ncclSuccess; }
ncclResult_t ncclGroupEnd() {
  --group.depth;
  if (!seen.fails_to_send) return queue();
  group.calls.clear();
  group.of = nullptr;
  return ncclSuccess;
}
ncclResult_t ncclSend(void const* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t of,
                      cudaStream_t on) {
  if (type != ncclInt8) std::abort();
  if (seen.fails_to_send) return seen.open_groups = group.depth, ncclInvalidArgument;
  return add({from, nullptr, count, peer}, of, on);
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t of, cudaStream_t on) {
  if (type != ncclInt8) std::abort();
  return add({nullptr, to, count, peer}, of, on);
}
ncclResult_t ncclAllGather(void const* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t of,
                           cudaStream_t on) {
  auto const& c = *reinterpret_cast<communicator*>(of);
  if (type != ncclInt8 || from != static_cast<char*>(to) + static_cast<std::size_t>(c.rank) * count) std::abort();
  ++group.depth;
  for (int k = 0; k < c.size; ++k) {
    if (k == c.rank) continue;
    add({from, nullptr, count, k}, of, on);
    add({nullptr, static_cast<char*>(to) + static_cast<std::size_t>(k) * count, count, k}, of, on);
  }
  --group.depth;
  return queue();
}
char const* ncclGetErrorString(ncclResult_t status) {
  return status == ncclInvalidUsage ? "invalid usage" : status == ncclRemoteError ? "remote error" : "another error";
}
char const* ncclGetLastError(ncclComm_t) { return seen.fails_to_begin ? "Duplicate GPU detected" : ""; }
}  // namespace

#include <espalier/device/cuda/library/nccl_peers.hpp>

#include "support/thread_processes.hpp"

namespace {
namespace on_cuda = espalier::on_cuda;
using test::expect;
namespace esp = espalier;
static_assert(on_cuda::Peers<on_cuda::nccl_peers, on_cuda::cuda_backend>);

struct machine {
  on_cuda::cuda_backend main, beside;
  on_cuda::nccl_peers peers;
  explicit machine(test::thread_process& all) : peers{main, beside, all} {}
  float* with(std::vector<float> const& x) {
    auto* const made = static_cast<float*>(beside.allocate(x.size() * sizeof(float)));
    beside.to_device(made, x.data(), x.size() * sizeof(float));
    return made;
  }
  std::vector<float> read(float const* from, std::size_t count) {
    std::vector<float> r(count);
    beside.to_host(r.data(), from, count * sizeof(float));
    return r;
  }
};
}  // namespace

// 40 elements in parts of 16: process 2 has 8 of them, process 3 none. Twice, as in two steps.
BOOST_AUTO_TEST_CASE(scatter_and_gather) {
  auto const errors = test::as_processes(4, [](test::thread_process& all) {
    seen = {};
    {
      machine m{all};
      int const me = all.rank(), count = me < 2 ? 16 : me == 2 ? 8 : 0;
      for (int step = 0; step < 2; ++step) {
        std::vector<float> own(40), slots(64, -1.0f);
        for (int i = 0; i < 40; ++i) own[static_cast<std::size_t>(i)] = static_cast<float>(1000 * step + 100 * me + i);
        float *const from = m.with(own), *const to = m.with(slots);
        m.peers.scatter(static_cast<float const*>(from), to, 16, 40);
        m.peers.wait();
        auto const got = m.read(to, 64);
        for (int k = 0; k < 4; ++k)
          for (int i = 0; i < 16; ++i)
            expect(got[static_cast<std::size_t>(16 * k + i)] ==
                       (k != me && i < count ? static_cast<float>(1000 * step + 100 * k + 16 * me + i) : -1.0f),
                   "the part of this process of each other one");
        std::vector<float> const mine(16, static_cast<float>(me + 10 * step));
        m.beside.to_device(to + 16 * me, mine.data(), 64);
        m.peers.gather(to, 16, from, 40);
        m.peers.wait();
        auto const gathered = m.read(from, 40);
        for (int i = 0; i < 40; ++i)
          expect(gathered[static_cast<std::size_t>(i)] == static_cast<float>(i / 16 + 10 * step),
                 "the slot of each process");
      }
      expect(seen.polls > 0 && seen.calls_while_late == 0, "calls that wait until the one before has ended");
      expect(seen.aborts == 0 && !m.peers.has_failed(), "no error");
    }
    expect(seen.aborts == 1, "an end that waits for no other process");
  });
  for (auto const& e : errors) BOOST_TEST(e == "");
}

BOOST_AUTO_TEST_CASE(one_process) {
  auto const errors = test::as_processes(1, [](test::thread_process& all) {
    seen = {};
    machine m{all};
    float *const from = m.with({1, 2, 3}), *const to = m.with(std::vector<float>(16, 5.0f));
    m.peers.scatter(static_cast<float const*>(from), to, 16, 3);
    m.peers.gather(to, 16, from, 3);
    m.peers.wait();
    expect(m.read(from, 3) == std::vector<float>{5, 5, 5}, "the slot of the process");
  });
  BOOST_TEST(errors[0] == "");
}

BOOST_AUTO_TEST_CASE(a_communicator_that_cannot_be) {
  auto const errors = test::as_processes(2, [](test::thread_process& all) {
    seen = {};
    seen.fails_to_begin = true;
    struct check {
      ~check() { BOOST_TEST(seen.aborts == 1); }
    };
    machine m{all};
  });
  for (std::size_t k = 0; k < 2; ++k)
    BOOST_TEST(errors[k] ==
               "process " + std::to_string(k) + " of 2: ncclCommInitRankConfig: invalid usage; Duplicate GPU detected");
}

// Exchanges of another process never come: the communicator is aborted, and what waits on the stream ends.
BOOST_AUTO_TEST_CASE(a_process_that_does_not_take_part) {
  auto const errors = test::as_processes(
      2,
      [](test::thread_process& all) {
        seen = {};
        machine m{all};
        m.peers.set_step(7);
        float* const memory = m.with(std::vector<float>(32));
        if (all.rank() == 1) return;
        m.peers.scatter(static_cast<float const*>(memory), memory, 16, 32);
        try {
          m.peers.wait();
        } catch (esp::distributed_error const&) {
          expect(m.peers.has_failed() && seen.aborts == 1, "peers that say so");
          m.beside.synchronize();
          throw;
        }
      },
      0.3);
  BOOST_TEST(
      errors[0] ==
      "process 0 of 2: another process has not answered for the time limit of 300 ms at step 7 (set_time_limit)");
  BOOST_TEST(errors[1] == "");
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_closes_its_group) {
  auto const errors = test::as_processes(2, [](test::thread_process& all) {
    seen = {};
    machine m{all};
    float* const memory = m.with(std::vector<float>(32));
    seen.fails_to_send = true;
    try {
      m.peers.scatter(static_cast<float const*>(memory), memory, 16, 32);
    } catch (esp::distributed_error const&) {
      expect(seen.open_groups == 1 && group.depth == 0, "no open group");
      expect(m.peers.has_failed() && seen.aborts == 1, "peers that say so");
      throw;
    }
  });
  for (std::size_t k = 0; k < 2; ++k)
    BOOST_TEST(errors[k] == "process " + std::to_string(k) + " of 2: ncclSend and ncclRecv: another error");
}

BOOST_AUTO_TEST_CASE(an_exchange_that_fails_on_its_way) {
  auto const errors = test::as_processes(2, [](test::thread_process& all) {
    seen = {};
    machine m{all};
    float* const memory = m.with(std::vector<float>(32));
    if (all.rank() == 1) return;
    m.peers.scatter(static_cast<float const*>(memory), memory, 16, 32);
    seen.fails_later = true;
    m.peers.wait();
  });
  BOOST_TEST(errors[0] == "process 0 of 2: an exchange: remote error");
  BOOST_TEST(errors[1] == "");
}
#else
BOOST_AUTO_TEST_CASE(without_nccl) { BOOST_TEST_MESSAGE("this build has no NCCL"); }
#endif

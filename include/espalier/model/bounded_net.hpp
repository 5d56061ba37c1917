// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/run_bounded.hpp"
#include "../operation/indexing.hpp"
#include "../operation/matmul.hpp"
#include "../operation/movement.hpp"
#include "../storage/bounded_view.hpp"
#include "net_programs.hpp"
#include "net_report.hpp"

/// The programs of a net for batches of up to N samples, and what prevents them.
namespace espalier {

/// Named relation: the op has no kernel that runs for some of the samples of a batch of up to N. Op is void if the
/// library's own ops did not tell.
template <class Op>
struct runs_for_any_count {
  static constexpr bool agree = false;
};

namespace detail {

/// A program whose groups of channels are in place, so that samples stay the first axis of all values.
constexpr graph::program with_samples_first(graph::program const& p) {
  using plan::groups_in_place;
  return plan::has_grouped_convolutions(p, groups_in_place::all)
             ? plan::with_grouped_convolutions(p, nullptr, groups_in_place::all)
             : p;
}

/// The definition of a bounded program, from its definitions for two numbers of samples (plan::counts_for).
template <class First, class Second, plan::traced_counts Counts, int Most>
struct bounded_definition {
  using subject = typename plan::subject_of<First>::type;
  static constexpr plan::bounded_program bounded = plan::bind_samples(
      with_samples_first(plan::graph_of<First>), with_samples_first(plan::graph_of<Second>), Counts.a, Counts.b, Most);
  static constexpr graph::program build() { return bounded.program; }
  static constexpr plan::storage_layout layout() { return First::layout(); }
};

template <class Batch>
using most_of = typename Batch::template of<Batch::max_samples>;

/// The elements of the largest value of a net, for one sample. Only nets of large samples are traced for it: 2000 times
/// a smaller one is not too large for any number of samples.
template <class Net, class Batch>
constexpr std::int64_t largest_value() {
  constexpr std::int64_t large_sample = 2048;
  if constexpr (Batch::sample::size <= large_sample) {
    return 1;
  } else {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::evaluation, false, 0, 0};
    static_cast<void>(results_in<Net, most_of<Batch>>(t));
    std::int64_t largest = 1;
    for (int id = 1; id <= p.nodes.size; ++id)
      if (p.nodes.nodes[id].shape.size() > largest) largest = p.nodes.nodes[id].shape.size();
    return (largest + Batch::max_samples - 1) / Batch::max_samples;
  }
}
template <class Net, class Batch>
inline constexpr plan::traced_counts counts_of = plan::counts_for(Batch::max_samples, largest_value<Net, Batch>());
template <class Net, class Batch>
using first_of = typename Batch::template of<counts_of<Net, Batch>.a>;
template <class Net, class Batch>
using second_of = typename Batch::template of<counts_of<Net, Batch>.b>;

/// The programs of a net whose nodes are the same for any number of samples.
template <class Net, class Batch>
struct evaluation_of_samples : evaluation_program<Net, Batch> {
  static constexpr graph::program build() { return evaluation_program<Net, Batch>::build(true); }
};
template <class Net, class Loss, class Batch>
inline constexpr auto forward_of_samples = training_program<Net, Loss, Batch>::forward(true);
template <class Net, class Loss, class Batch>
struct training_of_samples : training_program<Net, Loss, Batch> {
  using base = training_program<Net, Loss, Batch>;
  static constexpr derivative::backward_pass begin() { return base::begin(forward_of_samples<Net, Loss, Batch>); }
  static constexpr graph::program build() {
    constexpr auto const& forward = forward_of_samples<Net, Loss, Batch>;
    return derivative::with_backward<training_of_samples, forward.loss, forward.program.nodes.loop_count != 0>();
  }
};

/// With a scale (optim::scale_loss), which is argument 2: the hyperparameters of a bounded program are its own.
template <class Net, class Loss, class Batch>
struct scaled_training_of_samples : training_program<Net, Loss, Batch> {
  using base = training_program<Net, Loss, Batch>;
  static constexpr derivative::backward_pass begin() {
    return base::begin(forward_of_samples<Net, Loss, Batch>,
                       {operation::run_time_tensor, {}, graph::position_attribute(2, true), extents{}});
  }
  static constexpr graph::program build() {
    constexpr auto const& forward = forward_of_samples<Net, Loss, Batch>;
    return derivative::with_backward<scaled_training_of_samples, forward.loss, forward.program.nodes.loop_count != 0>();
  }
};

template <class Net, class Batch>
using bounded_evaluation_program =
    bounded_definition<evaluation_of_samples<Net, first_of<Net, Batch>>,
                       evaluation_of_samples<Net, second_of<Net, Batch>>, counts_of<Net, Batch>, Batch::max_samples>;
template <class Net, class Loss, class Batch, bool Scaled>
using training_for_samples =
    std::conditional_t<Scaled, scaled_training_of_samples<Net, Loss, Batch>, training_of_samples<Net, Loss, Batch>>;
template <class Net, class Loss, class Batch, bool Scaled = false>
using bounded_training_program = bounded_definition<training_for_samples<Net, Loss, first_of<Net, Batch>, Scaled>,
                                                    training_for_samples<Net, Loss, second_of<Net, Batch>, Scaled>,
                                                    counts_of<Net, Batch>, Batch::max_samples>;

/// The shape of a value of a bounded program, from its shapes in both traces: a shape, or that of up to N samples of
/// some rows.
template <class Net, class Batch, class First, class Second>
struct bounded_shape {
  static constexpr bool agree = false;
  static constexpr int rows = 0;  ///< of one sample; 0: the value does not depend on samples
  using type = First;
};
template <class Net, class Batch, class S>
struct bounded_shape<Net, Batch, S, S> {
  static constexpr bool agree = true;
  static constexpr int rows = 0;
  using type = S;
};
template <class Net, class Batch, int First, int... Sample, int Second>
  requires(First != Second && First % counts_of<Net, Batch>.a == 0)
struct bounded_shape<Net, Batch, shape<First, Sample...>, shape<Second, Sample...>> {
  static constexpr int rows = First / counts_of<Net, Batch>.a;
  static constexpr bool agree = Second == rows * counts_of<Net, Batch>.b;
  using type = shape<up_to<rows * Batch::max_samples>, Sample...>;
};

/// The fault of a bounded program, and the op that has it. Each member that is false has its own sentence.
template <plan::bounded_fault Kind, class Op>
struct sample_fault {
  using fault = plan::bounded_fault;
  using relation = runs_for_any_count<Op>;
  static constexpr bool agree = false, is_one_program = Kind != fault::differs,
                        has_whole_samples = Kind != fault::extent, has_samples_first = Kind != fault::not_leading,
                        keeps_samples_apart = Kind != fault::mixes_samples,
                        has_known_numbers = Kind != fault::constant && Kind != fault::many_constants,
                        has_groups_in_place = Kind != fault::groups, has_kernels = Kind != fault::kernel,
                        has_room = Kind != fault::large;
};
template <class Program>
constexpr auto find_sample_fault() {
  constexpr plan::bounded_fault found = Program::bounded.fault;
  if constexpr (found != plan::bounded_fault::none) {
    return sample_fault<found, typename decltype(op_with_fault<Program::bounded.op>())::type>{};
  } else {
    constexpr int fault = plan::bounded_groups_of<Program>.fault;
    if constexpr (fault == 0) return agreed{};
    else
      return sample_fault<plan::bounded_fault::kernel,
                          typename decltype(op_with_fault<plan::graph_of<Program>.nodes.nodes[fault].op>())::type>{};
  }
}
template <class Program>
using sample_fault_of = decltype(find_sample_fault<Program>());

/// The fault of a net in its two traces, or `agreed`.
template <class Net, class Batch>
constexpr auto find_traced_fault() {
  using First = applied_net<Net, first_of<Net, Batch>>;
  using Second = applied_net<Net, second_of<Net, Batch>>;
  if constexpr (is_invalid<First> || is_invalid<Second>)
    return std::type_identity<sample_fault<plan::bounded_fault::differs, void>>{};
  else if constexpr (!sample_fault_of<bounded_evaluation_program<Net, Batch>>::agree)
    return std::type_identity<sample_fault_of<bounded_evaluation_program<Net, Batch>>>{};
  else if constexpr (!bounded_shape<Net, Batch, shape_of<First>, shape_of<Second>>::agree)
    return std::type_identity<sample_fault<plan::bounded_fault::not_leading, reshape_>>{};
  else return std::type_identity<agreed>{};
}
/// The result of a net on a bounded batch: what it returns for the largest number of samples, if it is invalid; the
/// fault of its evaluation program; or `agreed`.
template <class Net, class Batch>
constexpr auto find_bounded_fault() {
  using Most = applied_net<Net, most_of<Batch>>;
  if constexpr (is_invalid<Most>) return std::type_identity<Most>{};
  else if constexpr (!counts_of<Net, Batch>.fit)
    return std::type_identity<sample_fault<plan::bounded_fault::large, void>>{};
  else return find_traced_fault<Net, Batch>();
}
template <class Net, class Batch>
using bounded_fault_of = typename decltype(find_bounded_fault<Net, Batch>())::type;

/// The output of a net for a bounded batch.
template <class Net, class Batch>
using bounded_output = bounded_shape<Net, Batch, shape_of<applied_net<Net, first_of<Net, Batch>>>,
                                     shape_of<applied_net<Net, second_of<Net, Batch>>>>;

/// Elements of a call: an address and the number of samples.
template <class T>
struct counted {
  T* data;
  int samples;
};

/// The elements of an argument that fits; rows: of one sample. Throws sample_count_error.
template <class T, class S, class X>
constexpr counted<T> samples_in(char const* where, X&& x, int rows = 1) {
  std::int64_t const elements = count_of_numbers(x);
  return {first_number(x), samples_of(where, elements, S::sample::size * rows, S::max_samples / rows)};
}

}  // namespace detail

#define ESPALIER_ANY_COUNT_DIFFERS \
  "the net is another program for another number of samples, so it cannot run for up to N; use fixed batch sizes"
#define ESPALIER_ANY_COUNT_EXTENT                                                                                    \
  "an operation of the net slices, pads or concatenates the axis of samples, so it cannot run for up to N of them; " \
  "use fixed batch sizes"
#define ESPALIER_ANY_COUNT_NOT_LEADING                                                                             \
  "an operation of the net moves the axis of samples behind another axis, or multiplies samples with each other, " \
  "so it cannot run for up to N of them; use fixed batch sizes"
#define ESPALIER_ANY_COUNT_MIXES                                                                                     \
  "an operation of the net combines samples in another way than by a sum, mean or extremum over all of them, so it " \
  "cannot run for up to N of them; use fixed batch sizes"
#define ESPALIER_ANY_COUNT_CONSTANT                                                                               \
  "a number in the net depends on the number of samples in a way that a run for up to N of them cannot compute; " \
  "use fixed batch sizes"
#define ESPALIER_ANY_COUNT_GROUPS                                                                                  \
  "the groups of channels of a convolution are moved in front of the samples: the rows that a kernel reads have "  \
  "more than 65536 elements, or images in front of a kernel of one tap with steps or padding need gradients; use " \
  "fixed batch sizes, or one group"
#define ESPALIER_ANY_COUNT_LARGE                                                                                      \
  "a value of the net has more than 2^31 - 1 elements for the numbers of samples that up_to<N> is traced for, which " \
  "are a little more than N; use a smaller N"
#define ESPALIER_ANY_COUNT_KERNEL                                                                                      \
  "an operation of the net has no kernel that runs for some of the samples of a batch (runs_for_any_count names it), " \
  "so it cannot run for up to N; use fixed batch sizes"

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"

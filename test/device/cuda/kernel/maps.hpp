// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "launched.hpp"

/// Maps of every kind, for kernels that walk along them. Check::run<T, Image, Move>(name) is what is asked of each.
namespace maps {

using namespace launched;
using espalier::convolution;
using espalier::movement;
using espalier::shape;
using test::windows, test::windows_of_gradient;

template <class Check, class Image, class Move>
void two_types(char const* name) {
  Check::template run<float, Image, Move>(name);
  Check::template run<half, Image, Move>(name);
}
template <class Check, class Image, class Move>
void every_type(char const* name) {
  two_types<Check, Image, Move>(name);
  Check::template run<double, Image, Move>(name);
  Check::template run<bfloat16, Image, Move>(name);
}

template <int Extent, int From, int Step, int Count>
struct slice {
  static constexpr movement value{{1, {0}, {Step}, {From}, {1}, false}, {1, {Count}}};
};
/// Columns From ... of a matrix.
template <int Rows, int From, int Count, int Step = 1>
struct columns_of {
  static constexpr movement value{{2, {0, 1}, {1, Step}, {0, From}, {1, 1}, false}, {2, {Rows, Count}}};
};
template <int Rows, int Columns, int Top, int Left, bool Lowest = false>
struct padded {
  static constexpr movement value{{2, {0, 1}, {1, 1}, {-Top, -Left}, {1, 1}, Lowest}, {2, {Rows, Columns}}};
};
template <int A, int B, int C>
struct flipped {
  static constexpr movement value{{3, {0, 1, 2}, {-1, 1, -1}, {A - 1, 0, C - 1}, {1, 1, 1}, false}, {3, {A, B, C}}};
};
template <int Rows, int Columns, int Down, int Across, int Start = 0>
struct spread {
  static constexpr movement value{{2, {0, 1}, {1, 1}, {Start, Start}, {Down, Across}, false}, {2, {Rows, Columns}}};
};
template <int Which, int B, int C>
struct row_of {
  static constexpr movement value{{2, {1, 2}, {1, 1}, {Which, 0, 0}, {1, 1, 1}, false}, {2, {B, C}}};
};
/// Windows of a row: both axes of the result walk along one.
template <int Count, int Taps, int Step, int Tap, int Start, int Divisor = 1>
struct row_windows {
  static constexpr movement value{{2, {0, 0}, {Step, Tap}, {Start}, {Divisor}, false}, {2, {Count, Taps}}};
};
struct three_walk {
  static constexpr movement value{{3, {0, 0, 0}, {4, 2, 1}, {-3}, {1}, false}, {3, {5, 3, 4}}};
};
struct same_again {
  static constexpr movement value{{2, {0, 0}, {0, 1}, {1}, {1}, false}, {2, {3, 5}}};
};
struct a_number {
  static constexpr movement value{{0, {}, {}, {4}, {1}, false}, {0, {}}};
};
struct ones {
  static constexpr movement value{{4, {0, 1, 1, 2}, {1, 3, 1, 1}, {0, -1, 0}, {1, 1, 1}, false}, {4, {3, 1, 4, 8}}};
};
template <class Check>
void slices() {
  every_type<Check, shape<100>, slice<100, 0, 1, 100>>("all");
  every_type<Check, shape<100>, slice<100, 8, 1, 64>>("a run that starts at a multiple of eight");
  every_type<Check, shape<100>, slice<100, 3, 1, 41>>("a run");
  every_type<Check, shape<100>, slice<100, 2, 7, 13>>("every seventh");
  every_type<Check, shape<100>, slice<100, 99, -3, 33>>("backwards");
  two_types<Check, shape<9, 24>, columns_of<9, 8, 16>>("columns in line");
  two_types<Check, shape<9, 24>, columns_of<9, 5, 3>>("three columns");
  two_types<Check, shape<9, 24>, columns_of<9, 1, 8, 3>>("every third column");
  two_types<Check, shape<3, 5, 8>, row_of<2, 5, 8>>("one of three");
  two_types<Check, shape<1>, slice<1, 0, 1, 1>>("one number");
  two_types<Check, shape<7>, a_number>("a number of seven");
}

template <class Check>
void paddings() {
  every_type<Check, shape<5, 16>, padded<9, 32, 2, 8>>("in line");
  every_type<Check, shape<5, 7>, padded<6, 13, 1, 3>>("odd");
  every_type<Check, shape<5, 7>, padded<6, 13, 1, 3, true>>("lowest");
  two_types<Check, shape<5, 7>, padded<2, 3, -2, -3>>("cropped");
  two_types<Check, shape<5, 8>, padded<3, 16, 8, 20>>("nothing is inside");
}

template <class Check>
void flips_and_dilations() {
  every_type<Check, shape<3, 4, 5>, flipped<3, 4, 5>>("flipped");
  every_type<Check, shape<3, 4, 16>, flipped<3, 4, 16>>("flipped in line");
  every_type<Check, shape<3, 8>, spread<7, 22, 3, 3>>("every third");
  two_types<Check, shape<3, 8>, spread<5, 16, 2, 2, -1>>("every second, from -1");
  two_types<Check, shape<4, 5>, spread<4, 40, 1, 8>>("every eighth column");
}

template <class Check>
void several_walk_along_one() {
  every_type<Check, shape<20>, row_windows<16, 5, 1, 1, 0>>("windows of five");
  every_type<Check, shape<20>, row_windows<7, 4, 3, 2, -2>>("windows with steps");
  two_types<Check, shape<32>, row_windows<8, 8, 4, 1, -4>>("windows in line, four apart");
  two_types<Check, shape<32>, row_windows<8, 8, 3, 1, 0>>("windows in line, three apart");
  two_types<Check, shape<48>, row_windows<12, 4, 4, 1, 0>>("many short windows in line");
  two_types<Check, shape<24>, row_windows<6, 3, -4, 1, 21>>("windows backwards");
  two_types<Check, shape<10>, row_windows<9, 3, 3, 1, -1, 2>>("windows of what is spread");
  two_types<Check, shape<20>, row_windows<3, 17, 1, 1, 0>>("few windows of seventeen");
  two_types<Check, shape<24>, three_walk>("three");
  two_types<Check, shape<8>, same_again>("no step");
  two_types<Check, shape<3, 4, 8>, ones>("an axis of one");
}

template <class Check>
void windows_of_images() {
  using few = shape<2, 6, 7, 3>;
  every_type<Check, few, windows<few, 3, 3, convolution{.padding = 1}>>("3x3");
  two_types<Check, few, windows<few, 2, 5, convolution{.stride = {2, 3}, .padding = {2, 1}, .dilation = {2, 1}}>>(
      "everything set");
  two_types<Check, shape<1, 5, 5, 17>, windows<shape<1, 5, 5, 17>, 2, 2, convolution{.stride = 2}>>("many channels");
  two_types<Check, shape<2, 5, 5, 16>, windows<shape<2, 5, 5, 16>, 3, 3, convolution{.stride = 2, .padding = 1}>>(
      "channels in line");
  two_types<Check, shape<1, 5, 4, 1>, windows<shape<1, 5, 4, 1>, 2, 3, convolution{.padding = {0, 3}}>>("one channel");
  two_types<Check, few, windows<few, 3, 3, convolution{.stride = 2, .padding = 1}, true>>("lowest");
  using gradient = shape<1, 3, 4, 8>;
  two_types<Check, gradient, windows_of_gradient<gradient, 6, 8, 3, 3, convolution{.stride = 2, .padding = 1}>>(
      "spread");
  two_types<Check, shape<2, 6, 6, 8>, windows<shape<2, 6, 6, 8>, 1, 1, convolution{}>>("the image itself");
}

}  // namespace maps

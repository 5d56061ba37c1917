// SPDX-License-Identifier: BSL-1.0
// What a core does with a sketch, for LOOPS rounds. Compiled with -include Arduino.h, as sketches are.
#include <Arduino.h>

#include SKETCH

// Arduino's words are what they were.
static_assert(min(2, 1) == 1 && max(1, 2) == 2 && abs(-1) == 1 && sq(3) == 9 && bit(3) == 8 && B101 == 5 &&
              DEFAULT == 1 && PI > 3);

extern "C" void initialise_monitor_handles();

int main() {
  initialise_monitor_handles();
  setup();
  for (int i = 0; i < LOOPS; ++i) loop();
}

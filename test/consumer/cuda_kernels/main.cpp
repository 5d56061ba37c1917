// SPDX-License-Identifier: BSL-1.0
int run();

int main() { return run(); }

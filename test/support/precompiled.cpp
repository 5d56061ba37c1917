// SPDX-License-Identifier: BSL-1.0
// A program whose precompiled header all tests share.
int main() {}

#include "/work/main/docs/examples/digits.cpp"

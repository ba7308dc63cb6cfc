// The one doctest main of all test programs: compiling it costs 8 s, so it is compiled once.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

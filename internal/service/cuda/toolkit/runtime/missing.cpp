// The calls that weft does not have: each ends the program with its name.
#include "runtime.h"

extern "C" {
#define WEFT_MISSING(name) cudaError_t name(...) { weft::missing(#name); }
#include <missing_calls.h>
}

#include <stdint.h>

// weft_fake_symbol is a function of the driver by name, or null.
void *weft_fake_symbol(const char *name);

// weft_fake_kernel runs a kernel that is none of the driver's, in Go. It returns 0, 1 if it accessed an address that it
// must not, or 2 if it never ends.
int weft_fake_kernel(int gpu, char *name, unsigned *grid, unsigned *block, unsigned shared, uint64_t *values, int n);

// fake_allocation returns the start of the allocation in which an address is, and its length; null if it is in none.
void *fake_allocation(uint64_t at, uint64_t *n);

// fake_reaches reports whether kernels of a GPU may access an address.
int fake_reaches(int gpu, uint64_t at);

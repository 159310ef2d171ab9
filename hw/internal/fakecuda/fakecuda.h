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

// Modules that are run as their text stands, in Go. weft_fake_load returns the number of the module; 0 if the text is none of
// these, and -1 if it cannot be read: the reason is then in log.
int weft_fake_load(int gpu, char *text, char *log, int room);
// weft_fake_global finds a variable, weft_fake_function a kernel with its parameters; they return 0 if there is none.
int weft_fake_global(int module, char *name, uint64_t *at, uint64_t *size);
int weft_fake_function(int module, char *name, int *params, unsigned *offsets, unsigned *sizes, int most);
int weft_fake_static_shared(int module, char *name);
// weft_fake_native runs a kernel. It returns the driver's error; -1 if it never ends.
int weft_fake_native(int module, char *name, unsigned *grid, unsigned *block, unsigned *cluster, unsigned shared, unsigned char *bytes);

// weft_fake_encode writes a tensor map as kernels of these modules read it.
void weft_fake_encode(unsigned char *to, uint64_t address, int dims, int bytes, uint64_t *sizes, uint64_t *pitches, unsigned *box, int swizzle);

// fake_alloc returns memory of a GPU; 0 if there is none.
uint64_t fake_alloc(int gpu, uint64_t n);

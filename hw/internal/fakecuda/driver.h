// What the files of the driver share.

#include <stdint.h>

typedef uint64_t word;
#define CALL int

enum {
	OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 101, INVALID_CONTEXT = 201, PEERS_UNSUPPORTED = 217, INVALID_PTX = 218, NOT_FOUND = 500, NOT_READY = 600,
	ILLEGAL_ADDRESS = 700, PEERS_ALREADY = 704, ASSERT = 710, MISALIGNED = 716,
	LAUNCH_FAILED = 719, NOT_SUPPORTED = 801, INVALID_CLUSTER = 912
};
enum { MAX_GPUS = 16, OWN_PARAMS = 6, MAX_PARAMS = 256, MAX_BYTES = 8192 };

// A function; one of a module that is run as its text stands has the number of that module, and the places and sizes of its
// parameters.
typedef struct { int gpu; char name[1024]; int module, params, wide; unsigned offsets[MAX_PARAMS], sizes[MAX_PARAMS]; } function;

// A kernel and its parameters; the values are copied when it is launched. Kernels of the driver and of the backend
// itself have at most OWN_PARAMS.
typedef struct { function *f; unsigned grid[3], block[3], cluster[3], shared; word values[MAX_PARAMS]; unsigned char bytes[MAX_BYTES]; } work;

double fake_now(void);
int fake_gpus(void);    // the number of GPUs
int fake_current(void); // the GPU of the current context; -1 if there is none
int fake_owner(word at); // the GPU in whose memory an address is; -1 if in none
int fake_state(int gpu); // the error that made a context unusable; it never returns if a kernel of the GPU hangs
int fake_lost(int gpu);  // the same without waiting
int fake_hangs(int gpu);
int fake_reaches(int gpu, word at); // whether kernels of a GPU may access an address
work fake_work(word f, const unsigned grid[3], const unsigned block[3], unsigned shared, word **p);
void fake_run(const work *w); // runs a kernel; returns before its end if it hangs
void *fake_stream_symbol(const char *name);

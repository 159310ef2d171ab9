//go:build cgo && linux

// A CUDA driver without a GPU: memory is host memory, and the few available
// kernels are C functions that run when they are launched. Waiting for a hanging
// kernel never returns.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fakecuda.h"

typedef uint64_t word;
#define CALL int

enum { OK = 0, INVALID = 1, OUT_OF_MEMORY = 2, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700, NOT_SUPPORTED = 801 };

static int failed; // the error that made the context unusable
static int hung;   // a kernel never ends
static const word total_memory = 1ULL << 30;

static int state(void) {
	while (hung) pause();
	return failed;
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static CALL cuInit(word flags) { return OK; }
static CALL cuDriverGetVersion(int *v) { *v = 13000; return OK; }
static CALL cuDeviceGetCount(int *n) { *n = 1; return OK; }
static CALL cuDevicePrimaryCtxRetain(word *ctx, word device) { *ctx = 1; return OK; }
static CALL cuCtxSetCurrent(word ctx) { return OK; }
static CALL cuDeviceGetName(char *name, word size, word device) { strncpy(name, "a GPU of the tests", size); return OK; }
static CALL cuDeviceGetAttribute(int *v, word attribute, word device) {
	switch (attribute) {
	case 75: *v = 9; break;       // compute capability
	case 76: *v = 0; break;
	case 16: *v = 2; break;       // SMs
	case 39: *v = 2048; break;    // threads per SM
	case 97: *v = 232448; break;  // shared memory per block
	default: *v = 1;
	}
	return OK;
}
static CALL cuMemGetInfo_v2(word *available, word *total) { *available = *total = total_memory; return OK; }

static CALL cuMemAlloc_v2(word *at, word n) {
	if (n > total_memory) return OUT_OF_MEMORY;
	*at = (word)malloc(n);
	return state();
}
static CALL cuMemFree_v2(word at) { free((void *)at); return state(); }
static CALL cuMemsetD8_v2(word at, word value, word n) { memset((void *)at, (int)value, n); return state(); }
static CALL cuMemsetD32Async(word at, word value, word n, word stream) {
	for (word i = 0; i < n; i++) ((uint32_t *)at)[i] = (uint32_t)value;
	return state();
}
static CALL cuMemcpyHtoD_v2(word to, word from, word n) { memcpy((void *)to, (void *)from, n); return state(); }
static CALL cuMemcpyDtoH_v2(word to, word from, word n) {
	int err = state();
	if (!err) memcpy((void *)to, (void *)from, n);
	return err;
}
static CALL cuMemcpyHtoDAsync_v2(word to, word from, word n, word stream) { return cuMemcpyHtoD_v2(to, from, n); }
static CALL cuMemcpyDtoHAsync_v2(word to, word from, word n, word stream) { return cuMemcpyDtoH_v2(to, from, n); }
static CALL cuMemHostRegister_v2(word at, word n, word flags) { return getenv("WEFT_FAKE_NO_PINNING") ? NOT_SUPPORTED : OK; }
static CALL cuMemHostGetDevicePointer_v2(word *at, word host, word flags) {
	*at = host;
	return getenv("WEFT_FAKE_NO_MAPPING") ? NOT_SUPPORTED : OK;
}

static CALL cuStreamQuery(word stream) { return hung ? NOT_READY : failed; }
static CALL cuEventCreate(word *event, word flags) { *event = (word)calloc(1, sizeof(double)); return OK; }
static CALL cuEventRecord(word event, word stream) { *(double *)event = now(); return OK; }
static CALL cuEventSynchronize(word event) { return state(); }
static CALL cuEventElapsedTime(float *ms, word from, word to) {
	*ms = (float)((*(double *)to - *(double *)from) * 1e3);
	return state();
}

static CALL cuModuleLoadDataEx(word *module, word text, word n, word options, word values) {
	if (strstr((char *)text, "broken")) return NOT_FOUND;
	*module = (word)calloc(1, 128); // its variables
	return OK;
}
static CALL cuModuleGetGlobal_v2(word *at, word *size, word module, word name) { *at = module; *size = 64; return OK; }
static CALL cuModuleGetFunction(word *function, word module, word name) { *function = (word)strdup((char *)name); return OK; }
static CALL cuFuncGetAttribute(int *v, word attribute, word function) { *v = attribute == 0 ? 1024 : 16; return OK; }
static CALL cuFuncSetAttribute(word function, word attribute, word v) { return OK; }
static CALL cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, word function, word block, word shared) { *n = (int)(2048 / block); return OK; }

static void answer(word **p) {
	uint32_t *from = (uint32_t *)*p[0];
	uint64_t *to = (uint64_t *)*p[1];
	word ns = (word)(now() * 1e9) - *(word *)*p[5];
	for (uint32_t i = 0; i < (uint32_t)*p[2]; i++) {
		__atomic_store_n(&to[2 + i], *p[3] << 32 | from[i], __ATOMIC_RELEASE);
		if ((uint32_t)*p[4]) from[i] = 0;
	}
	__atomic_store_n(&to[0], *p[3] << 32 | (uint32_t)ns, __ATOMIC_RELEASE);
	__atomic_store_n(&to[1], *p[3] << 32 | ns >> 32, __ATOMIC_RELEASE);
}

static CALL launch(word function, word grid, word block, word **p) {
	const char *name = (const char *)function;
	if (hung || failed) return OK; // queued after it
	if (!strcmp(name, "weft_answer")) answer(p);
	else if (!strcmp(name, "weft_stamp")) *(word *)*p[0] = (word)(now() * 1e9);
	else if (!strcmp(name, "weft_tick")) *(word *)*p[0] = getenv("WEFT_FAKE_COARSE_CLOCK") ? 1024 : 32;
	else if (!strcmp(name, "fake_iota")) for (uint32_t i = 0; i < grid * block; i++) ((uint32_t *)*p[0])[i] = i;
	else if (!strcmp(name, "fake_increment")) ++*(uint32_t *)*p[0];
	else if (!strcmp(name, "fake_slow")) usleep(30000);
	else if (!strcmp(name, "fake_hang")) hung = 1;
	else if (!strcmp(name, "fake_illegal")) failed = ILLEGAL_ADDRESS;
	else if (!strcmp(name, "fake_crash")) {
		(void)!write(2, "the driver fell over\n", 21);
		_exit(3);
	}
	return OK;
}
static CALL cuLaunchKernel(word f, word gx, word gy, word gz, word bx, word by, word bz, word shared, word stream, word **p, word extra) {
	return launch(f, gx, bx, p);
}
static CALL cuLaunchCooperativeKernel(word f, word gx, word gy, word gz, word bx, word by, word bz, word shared, word stream, word **p) {
	return launch(f, gx, bx, p);
}

// A graph has at most three kernels, which run one after the other.
typedef struct { word function; unsigned grid[3], block[3], shared; word **params, *extra; } node;
typedef struct { int n, edges; node nodes[3]; word values[3][8], *params[3][8]; } graph;

static void set(graph *g, int i, const node *n) {
	g->nodes[i] = *n;
	for (int j = 0; j < 8; j++) {
		g->values[i][j] = *n->params[j < 6 ? j : 0];
		g->params[i][j] = &g->values[i][j];
	}
}
static CALL cuGraphCreate(word *g, word flags) {
	*g = (word)calloc(1, sizeof(graph));
	return getenv("WEFT_FAKE_NO_GRAPHS") ? NOT_SUPPORTED : OK;
}
static CALL cuGraphAddKernelNode(word *at, word g, word *before, word n, node *p) {
	graph *to = (graph *)g;
	if (n > 1 || (n == 1 && *before != (word)to->n)) return INVALID; // only a chain is supported
	to->edges += n;
	set(to, to->n++, p);
	*at = to->n;
	return OK;
}
static CALL cuGraphAddDependencies_v2(word g, word *from, word *to, const unsigned char *edge, word n) {
	graph *of = (graph *)g;
	if (getenv("WEFT_FAKE_OLD_GRAPHS")) return NOT_SUPPORTED;
	if (n != 1 || *to != *from + 1 || edge[0] != 1 || edge[1] != 0 || edge[2] != 1) return INVALID;
	of->edges++;
	return OK;
}
static CALL cuGraphInstantiateWithFlags(word *exec, word g, word flags) {
	*exec = g;
	return ((graph *)g)->edges == ((graph *)g)->n - 1 ? OK : INVALID;
}
static CALL cuGraphExecKernelNodeSetParams(word g, word at, node *p) { set((graph *)g, (int)at - 1, p); return OK; }
static CALL cuGraphLaunch(word g, word stream) {
	graph *of = (graph *)g;
	for (int i = 0; i < of->n; i++) launch(of->nodes[i].function, of->nodes[i].grid[0], of->nodes[i].block[0], of->params[i]);
	return OK;
}

static CALL cuGetErrorName(word code, const char **text) {
	*text = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
	return OK;
}
static CALL cuGetErrorString(word code, const char **text) { *text = "as the tests want it"; return OK; }

#define F(name) {#name, (void *)name}
static const struct { const char *name; void *f; } functions[] = {
	F(cuInit), F(cuDriverGetVersion), F(cuDeviceGetCount), F(cuDevicePrimaryCtxRetain), F(cuCtxSetCurrent), F(cuDeviceGetName),
	F(cuDeviceGetAttribute), F(cuMemGetInfo_v2), F(cuMemAlloc_v2), F(cuMemFree_v2), F(cuMemsetD8_v2), F(cuMemsetD32Async),
	F(cuMemcpyHtoD_v2), F(cuMemcpyDtoH_v2), F(cuMemcpyHtoDAsync_v2), F(cuMemcpyDtoHAsync_v2), F(cuMemHostRegister_v2),
	F(cuMemHostGetDevicePointer_v2), F(cuStreamQuery), F(cuEventCreate), F(cuEventRecord), F(cuEventSynchronize), F(cuEventElapsedTime),
	F(cuModuleLoadDataEx), F(cuModuleGetGlobal_v2), F(cuModuleGetFunction), F(cuFuncGetAttribute), F(cuFuncSetAttribute),
	F(cuOccupancyMaxActiveBlocksPerMultiprocessor), F(cuLaunchKernel), F(cuGraphCreate), F(cuGraphAddKernelNode), F(cuGraphAddDependencies_v2),
	F(cuGraphInstantiateWithFlags), F(cuGraphExecKernelNodeSetParams), F(cuGraphLaunch), F(cuLaunchCooperativeKernel), F(cuGetErrorName), F(cuGetErrorString),
};

void *weft_fake_symbol(const char *name) {
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name)) return functions[i].f;
	return 0;
}

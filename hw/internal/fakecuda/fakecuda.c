//go:build cgo && linux

// A CUDA driver without a GPU: memory is host memory, and the few available
// kernels are C functions. On the default stream they run when they are
// launched; streams.c has the other streams. Waiting for a hanging kernel never
// returns.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "fakecuda.h"

// The state of a GPU: whether a kernel hangs, the error that made its context unusable, and whose memory it reaches.
static struct { volatile int hung, failed; int peers[MAX_GPUS]; } gpus[MAX_GPUS];
static int now_current = -1;
static const word total_memory = 1ULL << 30;

int fake_gpus(void) {
	const char *n = getenv("WEFT_FAKE_GPUS");
	return n ? atoi(n) : 1;
}
int fake_current(void) { return now_current; }
int fake_lost(int gpu) { return gpus[gpu].failed; }
int fake_hangs(int gpu) { return gpus[gpu].hung; }
int fake_state(int gpu) {
	if (gpu < 0) return INVALID_CONTEXT;
	while (gpus[gpu].hung) pause();
	return gpus[gpu].failed;
}
static int state(void) { return fake_state(now_current); }

double fake_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static CALL cuInit(word flags) { return OK; }
static CALL cuDriverGetVersion(int *v) { *v = 13000; return OK; }
static CALL cuDeviceGetCount(int *n) { *n = fake_gpus(); return OK; }
static CALL cuDevicePrimaryCtxRetain(word *ctx, word device) { *ctx = device + 1; return OK; }
static CALL cuCtxSetCurrent(word ctx) { now_current = (int)ctx - 1; return OK; }
static CALL cuCtxSynchronize(void) { return state(); }
static CALL cuDeviceGetName(char *name, word size, word device) { strncpy(name, "a GPU of the tests", size); return OK; }
static CALL cuDeviceGetAttribute(int *v, word attribute, word device) {
	switch (attribute) {
	case 75: *v = 9; break;       // compute capability
	case 76: *v = 0; break;
	case 16: *v = 2; break;       // SMs
	case 39: *v = 2048; break;    // threads per SM
	case 81: *v = 233472; break;  // shared memory per SM
	case 97: *v = 232448; break;  // shared memory per block
	default: *v = 1;
	}
	return OK;
}

static CALL cuDeviceCanAccessPeer(int *can, word device, word peer) { *can = device != peer && !getenv("WEFT_FAKE_NO_PEERS"); return OK; }
static CALL cuDeviceGetP2PAttribute(int *v, word attribute, word device, word peer) {
	if (device == peer) return NO_DEVICE;
	*v = !getenv("WEFT_FAKE_NO_PEERS") && (attribute != 3 || !getenv("WEFT_FAKE_PCIE"));
	return OK;
}
static CALL cuCtxEnablePeerAccess(word ctx, word flags) {
	int *p = &gpus[now_current].peers[ctx - 1];
	if (getenv("WEFT_FAKE_NO_PEERS")) return PEERS_UNSUPPORTED;
	if (*p) return PEERS_ALREADY;
	*p = 1;
	return OK;
}

// The allocations, by which an address belongs to a GPU.
typedef struct memory { word at, n; int gpu; struct memory *next; } memory;
static memory *allocated;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find(word at, word *start, word *n) {
	pthread_mutex_lock(&lock);
	memory *m = allocated;
	while (m && (at < m->at || at > m->at + m->n || (at == m->at + m->n && m->n))) m = m->next;
	int gpu = m ? m->gpu : -1;
	*start = m ? m->at : 0;
	*n = m ? m->n : 0;
	pthread_mutex_unlock(&lock);
	return gpu;
}
int fake_owner(word at) {
	word start, n;
	return find(at, &start, &n);
}
void *fake_allocation(word at, word *n) {
	word start;
	find(at, &start, n);
	return (void *)start;
}
int fake_reaches(int gpu, word at) {
	int of = fake_owner(at);
	return of < 0 || of == gpu || gpus[gpu].peers[of];
}

static CALL cuMemGetInfo_v2(word *available, word *total) { *available = *total = total_memory; return OK; }
// The memory of a GPU lies in this process between (GPU + 1) << 40 and (GPU + 2) << 40, so that whoever runs kernels knows which
// addresses are of which GPU. Something else may be in a part of that: Go chooses the place of its own memory at random. What was
// freed is not used again.
enum { HEAP_SHIFT = 40 };
static const word heap_bytes = 1ULL << 36;
static struct { word base, used; } heaps[MAX_GPUS];
static word heap_of(int gpu) {
	for (word at = (word)(gpu + 1) << HEAP_SHIFT; !heaps[gpu].base && at < (word)(gpu + 2) << HEAP_SHIFT; at += heap_bytes) {
		void *p = mmap((void *)at, heap_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
		if (p == (void *)at) heaps[gpu].base = at;
		else if (p != MAP_FAILED) munmap(p, heap_bytes);
	}
	return heaps[gpu].base;
}
word fake_alloc(int gpu, word n) {
	word size = (n + 511) / 256 * 256, at = 0;
	pthread_mutex_lock(&lock);
	if (heap_of(gpu) && heaps[gpu].used + size <= heap_bytes) {
		at = heaps[gpu].base + heaps[gpu].used;
		heaps[gpu].used += size;
		memory *m = malloc(sizeof *m);
		*m = (memory){at, n, gpu, allocated};
		allocated = m;
	}
	pthread_mutex_unlock(&lock);
	return at;
}
static CALL cuMemAlloc_v2(word *at, word n) {
	if (n > total_memory || !(*at = fake_alloc(now_current, n))) return OUT_OF_MEMORY;
	return state();
}
static CALL cuMemFree_v2(word at) {
	pthread_mutex_lock(&lock);
	memory **m = &allocated, *found;
	while (*m && (*m)->at != at) m = &(*m)->next;
	if ((found = *m)) *m = found->next;
	pthread_mutex_unlock(&lock);
	if (!found || found->gpu != now_current) return INVALID;
	madvise((void *)((at + 4095) / 4096 * 4096), found->n / 4096 * 4096 > 4096 ? found->n / 4096 * 4096 - 4096 : 0, MADV_DONTNEED);
	free(found);
	return state();
}
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
enum { MOST_PINNED = 64 };
static word pinned[MOST_PINNED]; // registered ranges that begin at different addresses
static CALL cuMemHostRegister_v2(word at, word n, word flags) {
	if (getenv("WEFT_FAKE_NO_PINNING")) return NOT_SUPPORTED;
	for (int i = 0; i < MOST_PINNED; i++)
		if (pinned[i] == at) return INVALID;
	for (int i = 0; i < MOST_PINNED; i++)
		if (!pinned[i]) { pinned[i] = at; return OK; }
	return INVALID;
}
static CALL cuMemHostUnregister(word at) {
	for (int i = 0; i < MOST_PINNED; i++)
		if (pinned[i] == at) { pinned[i] = 0; return OK; }
	return INVALID;
}
static CALL cuMemHostGetDevicePointer_v2(word *at, word host, word flags) {
	*at = host;
	return getenv("WEFT_FAKE_NO_MAPPING") ? NOT_SUPPORTED : OK;
}

static CALL cuStreamQuery(word stream) { return fake_hangs(now_current) ? NOT_READY : fake_lost(now_current); }

typedef struct { int gpu, native; word variables[16]; } module;
static CALL cuModuleLoadDataEx(word *to, word text, word n, word options, word values) {
	if (strstr((char *)text, "broken")) return NOT_FOUND;
	module *m = calloc(1, sizeof *m);
	m->gpu = now_current;
	*to = (word)m;
	char *log = (char *)((word *)values)[2]; // CU_JIT_ERROR_LOG_BUFFER, as the backend orders the options
	m->native = weft_fake_load(now_current, (char *)text, log, 1000);
	return m->native < 0 ? INVALID_PTX : OK;
}
static CALL cuModuleGetGlobal_v2(word *at, word *size, word from, word name) {
	module *m = (module *)from;
	if (m->native) return weft_fake_global(m->native, (char *)name, at, size) ? OK : NOT_FOUND;
	*at = (word)m->variables + (strstr((char *)name, "deadline") ? 64 : 0);
	*size = 64;
	return OK;
}
static CALL cuModuleGetFunction(word *to, word from, word name) {
	function *f = calloc(1, sizeof *f);
	f->gpu = now_current;
	f->module = ((module *)from)->native;
	strncpy(f->name, (char *)name, sizeof f->name - 1);
	*to = (word)f;
	if (f->module && !weft_fake_function(f->module, f->name, &f->params, f->offsets, f->sizes, MAX_PARAMS)) return NOT_FOUND;
	return OK;
}
static CALL cuFuncGetAttribute(int *v, word attribute, word of) {
	function *f = (function *)of;
	*v = attribute == 0 ? 1024 : attribute == 1 && f->module ? weft_fake_static_shared(f->module, f->name) : 16;
	return OK;
}
static CALL cuFuncSetAttribute(word f, word attribute, word v) {
	if (attribute == 14) ((function *)f)->wide = (int)v;
	return OK;
}
static CALL cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, word f, word block, word shared) { *n = (int)(2048 / block); return OK; }

static void answer(const word *p) {
	uint32_t *from = (uint32_t *)p[0];
	uint64_t *to = (uint64_t *)p[1];
	word ns = (word)(fake_now() * 1e9) - *(word *)p[5];
	for (uint32_t i = 0; i < (uint32_t)p[2]; i++) {
		__atomic_store_n(&to[2 + i], p[3] << 32 | from[i], __ATOMIC_RELEASE);
		if ((uint32_t)p[4]) from[i] = 0;
	}
	__atomic_store_n(&to[0], p[3] << 32 | (uint32_t)ns, __ATOMIC_RELEASE);
	__atomic_store_n(&to[1], p[3] << 32 | ns >> 32, __ATOMIC_RELEASE);
}

work fake_work(word f, const unsigned grid[3], const unsigned block[3], unsigned shared, word **p) {
	work w = {.f = (function *)f, .grid = {grid[0], grid[1], grid[2]}, .block = {block[0], block[1], block[2]}, .shared = shared};
	if (w.f->module) {
		for (int i = 0; i < w.f->params; i++) memcpy(w.bytes + w.f->offsets[i], p[i], w.f->sizes[i]);
		return w;
	}
	int own = !strncmp(w.f->name, "weft_", 5) || !strncmp(w.f->name, "fake_", 5);
	for (int i = 0; i < (own ? OWN_PARAMS : MAX_PARAMS) && p[i]; i++) w.values[i] = *p[i];
	return w;
}

void fake_run(const work *w) {
	const char *name = w->f->name;
	const word *p = w->values;
	int gpu = w->f->gpu;
	uint32_t *words = (uint32_t *)p[0];
	if (gpus[gpu].hung || gpus[gpu].failed) return; // queued after it
	if (w->f->module) {
		int failed = weft_fake_native(w->f->module, (char *)name, (unsigned *)w->grid, (unsigned *)w->block, (unsigned *)w->cluster, w->shared, (unsigned char *)w->bytes);
		if (failed < 0) gpus[gpu].hung = 1;
		else if (failed) gpus[gpu].failed = failed;
	} else if (strncmp(name, "weft_", 5) && strncmp(name, "fake_", 5)) {
		switch (weft_fake_kernel(gpu, (char *)name, (unsigned *)w->grid, (unsigned *)w->block, w->shared, (word *)p, MAX_PARAMS)) {
		case 1: gpus[gpu].failed = ILLEGAL_ADDRESS; break;
		case 2: gpus[gpu].hung = 1;
		}
	} else if (!strcmp(name, "weft_empty")) { // it has no parameters
	} else if (!fake_reaches(gpu, p[0])) gpus[gpu].failed = ILLEGAL_ADDRESS;
	else if (!strcmp(name, "weft_answer")) answer(p);
	else if (!strcmp(name, "weft_stamp")) *(word *)p[0] = (word)(fake_now() * 1e9);
	else if (!strcmp(name, "weft_arm")) *(word *)p[0] = (word)(fake_now() * 1e9) + p[1];
	else if (!strcmp(name, "weft_tick")) *(word *)p[0] = getenv("WEFT_FAKE_COARSE_CLOCK") ? 1024 : 32;
	else if (!strcmp(name, "fake_iota")) for (uint32_t i = 0; i < w->grid[0] * w->block[0]; i++) words[i] = i;
	else if (!strcmp(name, "fake_increment")) ++*words;
	else if (!strcmp(name, "fake_slow")) usleep(30000);
	else if (!strcmp(name, "fake_hang")) gpus[gpu].hung = 1;
	else if (!strcmp(name, "fake_illegal")) gpus[gpu].failed = ILLEGAL_ADDRESS;
	else if (!strcmp(name, "fake_crash")) {
		(void)!write(2, "the driver fell over\n", 21);
		_exit(3);
	}
}

// A graph has at most three kernels, which run one after the other.
typedef struct { word function; unsigned grid[3], block[3], shared; word **params, *extra; } node;
typedef struct { int n, edges; work nodes[3]; } graph;

static void set(graph *g, int i, const node *n) { g->nodes[i] = fake_work(n->function, n->grid, n->block, n->shared, n->params); }
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
	for (int i = 0; i < of->n; i++) {
		if (of->nodes[i].f->gpu != now_current) return INVALID_CONTEXT;
		fake_run(&of->nodes[i]);
	}
	return OK;
}

static CALL cuGetErrorName(word code, const char **text) {
	switch (code) {
	case ILLEGAL_ADDRESS: *text = "CUDA_ERROR_ILLEGAL_ADDRESS"; break;
	case OUT_OF_MEMORY: *text = "CUDA_ERROR_OUT_OF_MEMORY"; break;
	case INVALID_PTX: *text = "CUDA_ERROR_INVALID_PTX"; break;
	case ASSERT: *text = "CUDA_ERROR_ASSERT"; break;
	case MISALIGNED: *text = "CUDA_ERROR_MISALIGNED_ADDRESS"; break;
	case LAUNCH_FAILED: *text = "CUDA_ERROR_LAUNCH_FAILED"; break;
	case INVALID_CLUSTER: *text = "CUDA_ERROR_INVALID_CLUSTER_SIZE"; break;
	default: *text = "CUDA_ERROR";
	}
	return OK;
}
static CALL cuGetErrorString(word code, const char **text) { *text = "as the tests want it"; return OK; }

// An encoded tensor map is one that kernels read here. As the driver, it takes no address, pitch or row that is not a multiple of 16 bytes.
static CALL cuTensorMapEncodeTiled(word *to, word number, word dims, word address, const word *sizes, const word *pitches, const unsigned *box, const unsigned *steps,
	word interleave, word swizzle, word promotion, word fill) {
	static const unsigned bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
	if ((word)to % 64 || address % 16 || dims < 1 || dims > 3 || number > 9 || interleave || swizzle > 3 || promotion || fill) return INVALID;
	if (box[0] * bytes[number] % 16) return INVALID;
	for (word d = 0; d < dims; d++)
		if (!sizes[d] || !box[d] || box[d] > 256 || steps[d] != 1 || (d && pitches[d - 1] % 16)) return INVALID;
	weft_fake_encode((unsigned char *)to, address, (int)dims, (int)bytes[number], (word *)sizes, (word *)pitches, (unsigned *)box, (int)swizzle);
	return OK;
}

#define F(name) {#name, (void *)name}
static const struct { const char *name; void *f; } functions[] = {
	F(cuInit), F(cuDriverGetVersion), F(cuDeviceGetCount), F(cuDevicePrimaryCtxRetain), F(cuCtxSetCurrent), F(cuCtxSynchronize), F(cuDeviceGetName),
	F(cuDeviceGetAttribute), F(cuDeviceCanAccessPeer), F(cuDeviceGetP2PAttribute), F(cuCtxEnablePeerAccess), F(cuMemGetInfo_v2),
	F(cuMemAlloc_v2), F(cuMemFree_v2), F(cuMemsetD8_v2), F(cuMemsetD32Async), F(cuMemcpyHtoD_v2), F(cuMemcpyDtoH_v2), F(cuMemHostRegister_v2),
	F(cuMemHostUnregister), F(cuMemHostGetDevicePointer_v2), F(cuStreamQuery), F(cuModuleLoadDataEx), F(cuModuleGetGlobal_v2),
	F(cuModuleGetFunction), F(cuFuncGetAttribute), F(cuFuncSetAttribute), F(cuOccupancyMaxActiveBlocksPerMultiprocessor),
	F(cuGraphCreate), F(cuGraphAddKernelNode), F(cuGraphAddDependencies_v2), F(cuGraphInstantiateWithFlags), F(cuGraphExecKernelNodeSetParams),
	F(cuTensorMapEncodeTiled), F(cuGraphLaunch), F(cuGetErrorName), F(cuGetErrorString),
};

void *weft_fake_symbol(const char *name) {
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name)) return functions[i].f;
	return fake_stream_symbol(name);
}

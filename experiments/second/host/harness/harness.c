// Runs one launch of a kernel that clang compiled: each thread of a block is a fiber, with a stack of its own, on one thread
// of the operating system. A fiber runs until it waits for others: at a barrier, at an operation of a warp, or before an
// access with which threads wait for each other. What threads do together is written here a second time, independently of
// Weft. Blocks take turns as well, as many as MOST_FIBERS allows.
//
// The launch comes on the standard input, as words of 64 bits and the bytes of memory; the memory goes back on the standard
// output. See launch.go.
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TID, CTAID, NTID, NCTAID, LANEID, SMID, CLOCK, TIMER, TIDY, TIDZ, CTAIDY, CTAIDZ, NTIDY, NTIDZ, NCTAIDY, NCTAIDZ, DYNAMIC, SPECIALS = 18 };
enum { MOST_FIBERS = 8192, LANES = 32, NAMED = 16 };
enum state { READY, BARRIER, NAMED_WAIT, LANE_WAIT, DONE };
enum kind { WARPBAR, BALLOT, ANY, ALL, SHFL, SHFL_UP, SHFL_DOWN, SHFL_XOR, MATCH, REDUX };

struct block;
struct thread {
	uint32_t special[SPECIALS];
	uint64_t shared; // at byte 72, as in package llvm
	struct block *block;
	void *stack, *sp;
	enum state state;
	uint32_t index, named, mask, number;
	enum kind kind;
	uint64_t value, result;
};
struct block {
	int live;
	uint32_t arrived, count, met, result;
	struct { uint32_t arrived, want; } named[NAMED];
	struct thread *threads;
	char *shared;
};

extern void weft_kernel(uint64_t *leaves, struct thread *t);
void weft_switch(void **save, void *to);
__asm__(".globl weft_switch\nweft_switch:\n"
	"push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
	"mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
	"pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

static uint64_t grid[3], dims[3], shared_bytes, dynamic_bytes, stack_bytes, turns, clock_now, *leaves;
static uint64_t threads_per_block, blocks_of_grid, next_block, progress;
static struct thread *current;
static void *scheduler;

static void fail(const char *what, struct thread *t, uint32_t detail) {
	char text[200];
	int n = snprintf(text, sizeof text, "%s %u in block %u, thread %u\n", what, detail, t ? t->special[CTAID] : 0, t ? t->index : 0);
	(void)!write(2, text, n);
	_exit(3);
}
static void on_signal(int s) { fail(s == SIGFPE ? "signal: division, signal" : "signal: access outside of memory, signal", current, s); }

static void leave(struct thread *t, enum state s) {
	t->state = s;
	weft_switch(&t->sp, scheduler);
}
static void wake(struct thread *t) { t->state = READY; progress++; }

// What kernels call.
void weft_yield(struct thread *t) {
	progress++;
	if (turns-- == 0)
		fail("budget: out of turns", t, 0);
	leave(t, READY);
}
void weft_trap(struct thread *t, uint32_t n) { fail("panic: text", t, n); }
void weft_divide(struct thread *t, uint32_t n) { fail("division by zero", t, n); }
uint64_t weft_clock(struct thread *t) { (void)t; return clock_now += 16; }

static void open_barrier(struct block *b) {
	if (b->live == 0 || b->arrived < (uint32_t)b->live)
		return;
	b->result = b->count, b->met = b->arrived, b->count = b->arrived = 0;
	for (uint64_t i = 0; i < threads_per_block; i++)
		if (b->threads[i].state == BARRIER)
			wake(&b->threads[i]);
}
uint32_t weft_bar(struct thread *t, uint32_t set) {
	struct block *b = t->block;
	b->arrived++, b->count += set;
	t->state = BARRIER;
	open_barrier(b);
	leave(t, t->state);
	return t->result = b->result;
}
uint32_t weft_met(struct thread *t) { return t->block->met; }

void weft_named(struct thread *t, uint32_t id, uint32_t want, uint32_t waits) {
	struct block *b = t->block;
	if (id >= NAMED)
		fail("named barrier", t, id);
	t->named = id, b->named[id].want = want;
	if (waits)
		t->state = NAMED_WAIT;
	if (++b->named[id].arrived >= want) {
		b->named[id].arrived = 0;
		for (uint64_t i = 0; i < threads_per_block; i++)
			if (b->threads[i].state == NAMED_WAIT && b->threads[i].named == id)
				wake(&b->threads[i]);
	}
	leave(t, t->state);
}

// reduce combines two values: number is twice that of the operation (add, min, max, and, or, xor), and 1 for signed ones.
static uint32_t reduce(uint32_t number, uint32_t a, uint32_t b) {
	int less = number & 1 ? (int32_t)a < (int32_t)b : a < b;
	switch (number >> 1) {
	case 0: return a + b;
	case 1: return less ? a : b;
	case 2: return less ? b : a;
	case 3: return a & b;
	case 4: return a | b;
	default: return a ^ b;
	}
}
static uint64_t answer(struct thread *warp, struct thread *t, uint32_t who) {
	uint32_t lane = t->special[LANEID], votes = 0, same = 0, from = lane, sum = 0, first = 1;
	for (uint32_t i = 0; i < LANES; i++) {
		if (!(who >> i & 1))
			continue;
		votes |= (uint32_t)(warp[i].value & 1) << i;
		same |= (uint32_t)(warp[i].value == t->value) << i;
		sum = first ? (uint32_t)warp[i].value : reduce(t->number, sum, (uint32_t)warp[i].value);
		first = 0;
	}
	switch (t->kind) {
	case WARPBAR: return 0;
	case BALLOT: return votes;
	case ANY: return votes != 0;
	case ALL: return votes == who;
	case MATCH: return same;
	case REDUX: return sum;
	case SHFL: from = t->number & 31; break;
	case SHFL_XOR: from = lane ^ (t->number & 31); break;
	case SHFL_UP: from = t->number <= lane ? lane - t->number : lane; break;
	case SHFL_DOWN: from = t->number <= 31 - lane ? lane + t->number : lane; break;
	}
	return who >> from & 1 ? warp[from].value : 0xBAD0BAD0BAD0BAD0;
}
// meet finishes the operation of a warp's lanes if all lanes of the mask that have not ended have come to it.
static void meet(struct thread *t) {
	struct thread *warp = &t->block->threads[t->index / LANES * LANES];
	uint32_t who = 0;
	for (uint32_t i = 0; i < LANES && warp + i < t->block->threads + threads_per_block; i++) {
		if (!(t->mask >> i & 1) || warp[i].state == DONE)
			continue;
		if (warp[i].state != LANE_WAIT || warp[i].mask != t->mask || warp[i].kind != t->kind)
			return;
		who |= 1u << i;
	}
	for (uint32_t i = 0; i < LANES; i++)
		if (who >> i & 1)
			warp[i].result = answer(warp, &warp[i], who);
	for (uint32_t i = 0; i < LANES; i++)
		if (who >> i & 1)
			wake(&warp[i]);
}
static uint64_t lanes(enum kind kind, struct thread *t, uint32_t mask, uint64_t value, uint32_t number) {
	t->kind = kind, t->mask = mask, t->value = value, t->number = number, t->state = LANE_WAIT;
	meet(t);
	leave(t, t->state);
	return t->result;
}
#define LANES_OF(name, kind) \
	uint64_t weft_##name(struct thread *t, uint32_t mask, uint64_t value, uint32_t number) { return lanes(kind, t, mask, value, number); }
LANES_OF(warpbar, WARPBAR) LANES_OF(ballot, BALLOT) LANES_OF(any, ANY) LANES_OF(all, ALL) LANES_OF(match, MATCH) LANES_OF(redux, REDUX)
LANES_OF(shfl, SHFL) LANES_OF(shfl_up, SHFL_UP) LANES_OF(shfl_down, SHFL_DOWN) LANES_OF(shfl_xor, SHFL_XOR)

float weft_exp2(float x) { return (float)exp2(x); }
float weft_log2(float x) { return (float)log2(x); }
float weft_sin(float x) { return (float)sin(x); }
float weft_cos(float x) { return (float)cos(x); }
float weft_tanh(float x) { return (float)tanh(x); }
float weft_sqrt(float x) { return sqrtf(x); }
float weft_rsqrt(float x) { return (float)(1 / sqrt(x)); }
float weft_rcp(float x) { return 1 / x; }

// The scheduler.
static void run_fiber(void) {
	struct thread *t = current;
	weft_kernel(leaves, t);
	struct block *b = t->block;
	t->state = DONE, b->live--, progress++;
	open_barrier(b);
	struct thread *warp = &b->threads[t->index / LANES * LANES]; // lanes that have ended are not waited for
	for (uint32_t i = 0; i < LANES && warp + i < b->threads + threads_per_block; i++)
		if (warp[i].state == LANE_WAIT)
			meet(&warp[i]);
	weft_switch(&t->sp, scheduler);
}
static int begin(struct block *b) {
	if (next_block == blocks_of_grid)
		return 0;
	uint64_t n = next_block++;
	char *shared = b->shared;
	struct thread *threads = b->threads;
	memset(b, 0, sizeof *b);
	b->shared = shared, b->threads = threads, b->live = threads_per_block;
	memset(shared, 0xA5, shared_bytes + dynamic_bytes);
	for (uint64_t i = 0; i < threads_per_block; i++) {
		struct thread *t = &threads[i];
		uint32_t s[SPECIALS] = {
			[TID] = i % dims[0], [TIDY] = i / dims[0] % dims[1], [TIDZ] = i / dims[0] / dims[1],
			[CTAID] = n % grid[0], [CTAIDY] = n / grid[0] % grid[1], [CTAIDZ] = n / grid[0] / grid[1],
			[NTID] = dims[0], [NTIDY] = dims[1], [NTIDZ] = dims[2], [NCTAID] = grid[0], [NCTAIDY] = grid[1], [NCTAIDZ] = grid[2],
			[LANEID] = i % LANES, [DYNAMIC] = dynamic_bytes};
		memcpy(t->special, s, sizeof s);
		t->shared = (uint64_t)shared, t->block = b, t->index = i, t->state = READY;
		void **top = (void **)((char *)t->stack + stack_bytes);
		*--top = 0; // the stack is at a multiple of 16 before the call
		*--top = (void *)run_fiber;
		for (int r = 0; r < 6; r++)
			*--top = 0;
		t->sp = top;
	}
	return 1;
}
static void run_all(void) {
	uint64_t resident = MOST_FIBERS / threads_per_block;
	if (resident < 1)
		resident = 1;
	if (resident > blocks_of_grid)
		resident = blocks_of_grid;
	struct block *blocks = calloc(resident, sizeof *blocks);
	int running = 0;
	for (uint64_t i = 0; i < resident; i++) {
		blocks[i].threads = calloc(threads_per_block, sizeof(struct thread));
		blocks[i].shared = aligned_alloc(64, (shared_bytes + dynamic_bytes + 127) & ~63ull);
		for (uint64_t j = 0; j < threads_per_block; j++) {
			blocks[i].threads[j].stack = mmap(0, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
			if (blocks[i].threads[j].stack == MAP_FAILED)
				fail("memory: no stack", 0, 0);
		}
		running += begin(&blocks[i]);
	}
	while (running > 0) {
		uint64_t before = progress;
		for (uint64_t i = 0; i < resident; i++) {
			struct block *b = &blocks[i];
			if (b->live == 0)
				continue;
			for (uint64_t j = 0; j < threads_per_block; j++)
				if (b->threads[j].state == READY) {
					current = &b->threads[j];
					weft_switch(&scheduler, current->sp);
				}
			if (b->live == 0 && !begin(b))
				running--;
		}
		if (progress == before)
			fail("hang: all threads wait, turn", 0, 0);
	}
}

// The launch.
static void get(void *to, uint64_t n) {
	if (n > 0 && fread(to, 1, n, stdin) != n)
		fail("input: too short", 0, 0);
}
static uint64_t word(void) {
	uint64_t x;
	get(&x, 8);
	return x;
}
int main(void) {
	for (int i = 0; i < 3; i++)
		grid[i] = word();
	for (int i = 0; i < 3; i++)
		dims[i] = word();
	shared_bytes = word(), dynamic_bytes = word(), stack_bytes = word(), turns = word();
	threads_per_block = dims[0] * dims[1] * dims[2], blocks_of_grid = grid[0] * grid[1] * grid[2];
	uint64_t n = word();
	leaves = calloc(n + 1, 8);
	get(leaves, 8 * n);
	n = word();
	struct { uint64_t at, bytes; } *parts = calloc(n + 1, 16);
	for (uint64_t i = 0; i < n; i++) {
		parts[i].at = word(), parts[i].bytes = word();
		// Memory begins after a page that nobody may touch, and there is nothing behind it either.
		if (mmap((void *)parts[i].at, parts[i].bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)parts[i].at)
			fail("memory: cannot map part", 0, i);
		get((void *)parts[i].at, parts[i].bytes);
	}
	stack_t alternative = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
	sigaltstack(&alternative, 0);
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	sigaction(SIGSEGV, &action, 0), sigaction(SIGBUS, &action, 0), sigaction(SIGFPE, &action, 0);
	run_all();
	for (uint64_t i = 0; i < n; i++)
		if (fwrite((void *)parts[i].at, 1, parts[i].bytes, stdout) != parts[i].bytes)
			return 4;
	return fflush(stdout) ? 4 : 0;
}

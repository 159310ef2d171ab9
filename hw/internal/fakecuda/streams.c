//go:build cgo && linux

// Streams and events. Each stream is a thread, so that streams run at the same time and nothing but events orders them.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

typedef struct { int gpu; double time; unsigned recorded, reached; } event;

enum { LAUNCH, COPY, SET, RECORD, WAIT };

typedef struct op {
	int kind;
	work w;
	word to, from, n;
	event *e;
	unsigned count; // of the event's records: the one to reach
	struct op *next;
} op;

typedef struct { int gpu; op *first, **last; } stream;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void reach(event *e, unsigned count) {
	e->time = fake_now();
	e->reached = count;
	pthread_cond_broadcast(&changed);
}

// serve runs the work of a stream. After an error of its GPU, or behind a kernel that hangs, nothing more happens.
static void *serve(void *arg) {
	stream *s = arg;
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!s->first || fake_lost(s->gpu)) pthread_cond_wait(&changed, &lock);
		op *o = s->first;
		if (!(s->first = o->next)) s->last = &s->first;
		if (o->kind == WAIT)
			while (o->e->reached < o->count) pthread_cond_wait(&changed, &lock);
		else if (o->kind == RECORD)
			reach(o->e, o->count);
		else {
			pthread_mutex_unlock(&lock);
			if (o->kind == LAUNCH) fake_run(&o->w);
			if (o->kind == COPY) memcpy((void *)o->to, (void *)o->from, o->n);
			if (o->kind == SET) memset((void *)o->to, (int)o->from, o->n);
			while (fake_hangs(s->gpu) && o->kind == LAUNCH) pause();
			pthread_mutex_lock(&lock);
		}
		free(o);
	}
	return 0;
}

static CALL add(word to, op o) {
	stream *s = (stream *)to;
	if (s->gpu != fake_current()) return INVALID_CONTEXT;
	if (fake_lost(s->gpu)) return fake_lost(s->gpu);
	op *copy = malloc(sizeof o);
	*copy = o;
	copy->next = 0;
	pthread_mutex_lock(&lock);
	*s->last = copy;
	s->last = &copy->next;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return OK;
}

static CALL cuStreamCreate(word *to, word flags) {
	stream *s = calloc(1, sizeof *s);
	pthread_t thread;
	s->gpu = fake_current();
	s->last = &s->first;
	*to = (word)s;
	if (flags != 1) return INVALID; // only streams that do not wait for the default stream
	return pthread_create(&thread, 0, serve, s) ? OUT_OF_MEMORY : OK;
}

static CALL cuEventCreate(word *to, word flags) {
	event *e = calloc(1, sizeof *e);
	e->gpu = fake_current();
	*to = (word)e;
	return OK;
}
static CALL cuEventDestroy_v2(word at) {
	if (((event *)at)->gpu != fake_current()) return INVALID_CONTEXT;
	free((void *)at);
	return OK;
}
static CALL cuEventRecord(word at, word to) {
	event *e = (event *)at;
	if (e->gpu != fake_current()) return INVALID_CONTEXT;
	pthread_mutex_lock(&lock);
	unsigned count = ++e->recorded;
	if (!to) reach(e, count);
	pthread_mutex_unlock(&lock);
	return to ? add(to, (op){.kind = RECORD, .e = e, .count = count}) : OK;
}
static CALL cuStreamWaitEvent(word to, word at, word flags) {
	event *e = (event *)at;
	pthread_mutex_lock(&lock);
	unsigned count = e->recorded;
	pthread_mutex_unlock(&lock);
	return add(to, (op){.kind = WAIT, .e = e, .count = count});
}
static CALL cuEventQuery(word at) {
	event *e = (event *)at;
	if (e->gpu != fake_current()) return INVALID_CONTEXT;
	if (fake_lost(e->gpu)) return fake_lost(e->gpu);
	pthread_mutex_lock(&lock);
	int ready = e->reached == e->recorded;
	pthread_mutex_unlock(&lock);
	return ready ? OK : NOT_READY;
}
static CALL cuEventSynchronize(word at) {
	event *e = (event *)at;
	int err = fake_state(e->gpu);
	pthread_mutex_lock(&lock);
	while (e->reached != e->recorded) pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return err;
}
static CALL cuEventElapsedTime(float *ms, word from, word to) {
	event *a = (event *)from, *b = (event *)to;
	if (a->gpu != b->gpu || a->gpu != fake_current()) return INVALID_CONTEXT;
	*ms = (float)((b->time - a->time) * 1e3);
	return fake_state(a->gpu);
}

static CALL cuLaunchKernel(word f, word gx, word gy, word gz, word bx, word by, word bz, word shared, word to, word **p, word extra) {
	unsigned grid[3] = {(unsigned)gx, (unsigned)gy, (unsigned)gz}, block[3] = {(unsigned)bx, (unsigned)by, (unsigned)bz};
	work w = fake_work(f, grid, block, (unsigned)shared, p);
	if (w.f->gpu != fake_current()) return INVALID_CONTEXT;
	if (to) return add(to, (op){.kind = LAUNCH, .w = w});
	fake_run(&w);
	return OK;
}

// CUlaunchConfig and CUlaunchAttribute; of attributes, the sizes of a cluster and cooperative launches are known.
typedef struct { int id; unsigned pad, value[16]; } attribute;
typedef struct { unsigned grid[3], block[3], shared; word stream; attribute *attributes; unsigned n; } config;
static CALL cuLaunchKernelEx(config *c, word f, word **p, word extra) {
	work w = fake_work(f, c->grid, c->block, c->shared, p);
	if (w.f->gpu != fake_current()) return INVALID_CONTEXT;
	for (unsigned i = 0; i < c->n; i++) {
		attribute *a = &c->attributes[i];
		if (a->id != 4 && a->id != 2) return INVALID;
		for (int d = 0; a->id == 4 && d < 3; d++) {
			w.cluster[d] = a->value[d];
			if (!w.cluster[d] || c->grid[d] % w.cluster[d]) return INVALID_CLUSTER;
		}
	}
	if (w.cluster[0] * w.cluster[1] * w.cluster[2] > (w.f->wide ? 16 : 8)) return INVALID_CLUSTER;
	if (c->stream) return add(c->stream, (op){.kind = LAUNCH, .w = w});
	fake_run(&w);
	return OK;
}
static CALL cuLaunchCooperativeKernel(word f, word gx, word gy, word gz, word bx, word by, word bz, word shared, word to, word **p) {
	return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, to, p, 0);
}

static CALL copy(word to, word from, word n, word at) {
	if (at) return add(at, (op){.kind = COPY, .to = to, .from = from, .n = n});
	int err = fake_state(fake_current());
	if (!err) memcpy((void *)to, (void *)from, n);
	return err;
}
static CALL cuMemcpyHtoDAsync_v2(word to, word from, word n, word at) { return copy(to, from, n, at); }
static CALL cuMemcpyDtoHAsync_v2(word to, word from, word n, word at) { return copy(to, from, n, at); }
static CALL cuMemcpyDtoDAsync_v2(word to, word from, word n, word at) {
	return fake_owner(to) == fake_owner(from) ? copy(to, from, n, at) : INVALID;
}
static CALL cuMemcpyPeerAsync(word to, word to_context, word from, word from_context, word n, word at) {
	if (fake_owner(to) != (int)to_context - 1 || fake_owner(from) != (int)from_context - 1) return INVALID;
	return copy(to, from, n, at);
}
static CALL cuMemsetD8Async(word to, word value, word n, word at) { return add(at, (op){.kind = SET, .to = to, .from = value, .n = n}); }

#define F(name) {#name, (void *)name}
static const struct { const char *name; void *f; } functions[] = {
	F(cuStreamCreate), F(cuEventCreate), F(cuEventDestroy_v2), F(cuEventRecord), F(cuStreamWaitEvent), F(cuEventQuery), F(cuEventSynchronize), F(cuEventElapsedTime),
	F(cuLaunchKernel), F(cuLaunchKernelEx), F(cuLaunchCooperativeKernel), F(cuMemcpyHtoDAsync_v2), F(cuMemcpyDtoHAsync_v2), F(cuMemcpyDtoDAsync_v2),
	F(cuMemcpyPeerAsync), F(cuMemsetD8Async),
};

void *fake_stream_symbol(const char *name) {
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (!strcmp(functions[i].name, name)) return functions[i].f;
	return 0;
}

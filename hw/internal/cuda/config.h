// What a launch with clusters is described by.

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

typedef uint64_t word;

// CUlaunchAttribute in cuda.h; the clusters' size along x, y and z, or 1 for a cooperative launch.
typedef struct { int id; unsigned pad, value[16]; } weft_attribute;

// CUlaunchConfig in cuda.h.
typedef struct {
	unsigned grid[3], block[3], shared;
	word stream;
	weft_attribute *attributes;
	unsigned n;
	weft_attribute room[2];
} weft_config;

enum { weft_cooperative = 2, weft_cluster_dimension = 4 }; // CUlaunchAttributeID

// weft_clock returns the time of this machine in nanoseconds.
static inline int64_t weft_clock(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// weft_clustered returns a description for clusters of so many blocks along x, y and z, to be freed.
static inline weft_config *weft_clustered(unsigned x, unsigned y, unsigned z, int cooperative) {
	weft_config *c = calloc(1, sizeof *c);
	c->attributes = c->room;
	c->room[0] = (weft_attribute){.id = weft_cluster_dimension, .value = {x, y, z}};
	c->room[1] = (weft_attribute){.id = weft_cooperative, .value = {1}};
	c->n = cooperative ? 2 : 1;
	return c;
}

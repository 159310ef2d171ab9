// What the files of the runtime share.
#pragma once
#include "protocol.h"
#include <driver_types.h>
#include <stddef.h>
#include <stdlib.h>

namespace weft {

uint32_t &device();        // of this thread
cudaError_t &lastError();  // of this thread
cudaError_t fail(cudaError_t e);
[[noreturn]] void missing(const char *name);

// Call is a call of weft.
struct Call {
	weft_request request = {};
	weft_reply reply = {};
	const void *data[3];
	size_t sizes[3];
	bool owned[3]; // what a call that is kept copies; the rest is read when it is made
	int parts = 0;
	bool copied = false;
	char *rest = nullptr; // an answer for which there was no room, with a 0 behind it

	template <class... A> explicit Call(weft_call call, A... a) {
		request.call = call;
		uint64_t values[] = {(uint64_t)a..., 0};
		for (size_t i = 0; i < sizeof...(A); i++)
			request.a[i] = values[i];
	}
	~Call() {
		free(rest);
		for (int i = 0; copied && i < parts; i++)
			if (owned[i])
				free((void *)data[i]);
	}
	Call(const Call &) = delete;

	void add(const void *p, size_t n) { data[parts] = p, owned[parts] = false, sizes[parts++] = n; }
	void own(const void *p, size_t n) { add(p, n), owned[parts - 1] = true; }
	// kept returns the call for a graph, and again makes it, in a stream.
	Call *kept() const;
	cudaError_t again(cudaStream_t stream);
	// run returns the error, which is then also the last one of the thread.
	cudaError_t run(void *answer = nullptr, size_t room = 0);
	uint64_t value(int i) const { return reply.v[i]; }
};

// Where in the program a call stands; unknown if the program was not compiled with weft's headers.
struct Site {
	const char *file;
	unsigned line;
};
Site &site();    // of the call that this thread makes
Site siteOnce(); // the same, for the call that it is of

// shared maps memory that weft shares with the program, at its address there. Kind is of enum WEFT_HOST.
cudaError_t share(void **p, size_t size, int kind);
cudaError_t map(uint64_t address, uint64_t bytes, const char *path);

} // namespace weft

// The channel to weft, and what replies bring besides their answers.
#include "graphs.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace weft {

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int channel = -1;
static pid_t owner;
static thread_local uint32_t current; // device
static thread_local cudaError_t last;

uint32_t &device() { return current; }
cudaError_t &lastError() { return last; }

cudaError_t fail(cudaError_t e) {
	if (e != cudaSuccess)
		last = e;
	return e;
}

[[noreturn]] static void lost(const char *why) {
	fprintf(stderr, "weft: the connection of this CUDA program is lost: %s\n", why);
	_exit(1);
}

static void put(const void *p, size_t n) {
	for (const char *at = (const char *)p; n > 0;) {
		ssize_t done = send(channel, at, n, MSG_NOSIGNAL);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			lost(strerror(errno));
		at += done, n -= done;
	}
}

static void get(void *p, size_t n) {
	for (char *at = (char *)p; n > 0;) {
		ssize_t done = recv(channel, at, n, 0);
		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0) // weft has ended, and has said why
			_exit(1);
		if (done < 0)
			lost(strerror(errno));
		at += done, n -= done;
	}
}

static void connectNow() {
	const char *path = getenv("WEFT_CUDA");
	if (!path) {
		fprintf(stderr, "this is a CUDA program for weft's GPUs: run it by \"weft cuda run --device sim:h200 %s\"\n", program_invocation_name);
		_exit(1);
	}
	sockaddr_un address = {};
	address.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(address.sun_path))
		lost("the name of the socket is too long");
	strcpy(address.sun_path, path);
	channel = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (channel < 0 || connect(channel, (sockaddr *)&address, sizeof address) < 0)
		lost(strerror(errno));
	owner = getpid();
}

static void leave() {
	if (channel >= 0 && owner == getpid())
		Call(WEFT_EXIT).run();
}

Call *Call::kept() const {
	Call *c = new Call((weft_call)request.call);
	c->request = request, c->copied = true;
	for (int i = 0; i < parts; i++) {
		c->add(data[i], sizes[i]);
		if ((c->owned[i] = owned[i]))
			c->data[i] = memcpy(malloc(sizes[i] + 1), data[i], sizes[i]);
	}
	return c;
}

cudaError_t Call::again(cudaStream_t stream) {
	*streamOf(request) = (uint64_t)stream;
	free(rest);
	rest = nullptr;
	return run();
}

cudaError_t Call::run(void *answer, size_t room) {
	if (CUgraphNode_st *node = captured(request)) {
		node->calls.add(kept());
		return cudaSuccess;
	}
	pthread_mutex_lock(&mutex);
	if (channel < 0) {
		connectNow();
		weft_request hello = {};
		hello.call = WEFT_HELLO, hello.a[0] = WEFT_VERSION, hello.a[1] = (uint64_t)owner;
		put(&hello, sizeof hello);
		weft_reply r;
		get(&r, sizeof r);
		if (r.error)
			lost("this weft does not know the program's protocol; build the program again");
		atexit(leave);
	} else if (owner != getpid()) {
		fprintf(stderr, "weft: a process that was forked after the first CUDA call cannot use CUDA\n");
		_exit(1);
	}
	request.device = current;
	request.bytes = 0;
	for (int i = 0; i < parts; i++)
		request.bytes += sizes[i];
	put(&request, sizeof request);
	for (int i = 0; i < parts; i++)
		put(data[i], sizes[i]);
	get(&reply, sizeof reply);
	if (reply.text) {
		char *text = (char *)malloc(reply.text);
		get(text, reply.text);
		fwrite(text, 1, reply.text, stdout);
		free(text);
	}
	for (uint64_t left = reply.deliveries; left > 0;) {
		struct { uint64_t to, size; } d;
		get(&d, sizeof d);
		get((void *)d.to, d.size);
		left -= sizeof d + d.size;
	}
	if (reply.bytes > room) {
		rest = (char *)malloc(reply.bytes + 1);
		get(rest, reply.bytes);
		rest[reply.bytes] = 0;
	} else {
		get(answer, reply.bytes);
	}
	bool end = reply.leave;
	pthread_mutex_unlock(&mutex);
	if (end) {
		fflush(NULL);
		_exit((int)reply.v[0]);
	}
	return fail((cudaError_t)reply.error);
}

// A call that weft does not have ends the program, which could not go on.
[[noreturn]] void missing(const char *name) {
	Call c(WEFT_TRAP);
	c.add(name, strlen(name));
	c.run();
	_exit(1);
}

} // namespace weft

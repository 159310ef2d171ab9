// The code that the program carries: its modules, kernels and variables, as the compiler's registration brings them.
#include "runtime.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <vector_types.h>

namespace weft {

struct Module {
	const char *text;
	size_t size;
	uint64_t id; // 0 before it was sent
};
struct Kernel {
	const void *stub;
	Module *module;
	const char *name;
	uint64_t id;
	unsigned count, bytes, *sizes; // of parameters
};
struct Variable {
	const void *shadow; // the host's
	void **managed;     // the pointer to set; null for other variables
	Module *module;
	const char *name;
	uint64_t address, size;
};

// A table of a few entries, in the order in which they came.
template <class T> struct Table {
	T **list = nullptr;
	size_t count = 0;
	T *add(T v) {
		list = (T **)realloc(list, (count + 1) * sizeof *list);
		T *p = (T *)malloc(sizeof v);
		*p = v;
		return list[count++] = p;
	}
	T **begin() const { return list; }
	T **end() const { return list + count; }
};
static Table<Module *> modules;
static Table<Kernel> kernels;
static Table<Variable> variables;

// forget makes the next use of everything send it anew: after a reset weft knows none of it.
void forget() {
	for (size_t i = 0; i < modules.count; i++)
		(*modules.list[i])->id = 0;
	for (size_t i = 0; i < variables.count; i++)
		variables.list[i]->address = 0;
	for (size_t i = 0; i < kernels.count; i++) {
		Kernel *k = kernels.list[i];
		free(k->sizes);
		k->id = 0, k->bytes = k->count = 0, k->sizes = nullptr;
	}
}

static uint64_t idOf(Module *m) {
	if (!m->id) {
		Call c(WEFT_MODULE);
		c.add(m->text, m->size);
		if (c.run() == cudaSuccess)
			m->id = c.value(0);
	}
	return m->id;
}

// find returns a kernel that weft knows; null if there is none, or if weft refuses it.
static Kernel *find(const void *stub) {
	for (size_t i = 0; i < kernels.count; i++) {
		Kernel *k = kernels.list[i];
		if (k->stub != stub)
			continue;
		if (k->id)
			return k;
		uint64_t module = idOf(k->module);
		if (!module)
			return nullptr;
		Call c(WEFT_FUNCTION, module);
		c.add(k->name, strlen(k->name));
		unsigned sizes[1025];
		if (c.run(sizes, sizeof sizes) != cudaSuccess)
			return nullptr;
		k->count = (unsigned)(c.reply.bytes / sizeof *sizes);
		k->sizes = (unsigned *)malloc(c.reply.bytes + 1);
		memcpy(k->sizes, sizes, c.reply.bytes);
		for (unsigned j = 0; j < k->count; j++)
			k->bytes += sizes[j];
		k->id = c.value(0);
		return k;
	}
	fail(cudaErrorInvalidDeviceFunction);
	return nullptr;
}

uint64_t function(const void *stub) {
	Kernel *k = find(stub);
	return k ? k->id : 0;
}

cudaError_t launch(const void *stub, dim3 grid, dim3 block, void **args, size_t shared, uint64_t stream, bool cooperative, unsigned cluster) {
	Kernel *k = find(stub);
	if (!k)
		return lastError();
	Site at = siteOnce();
	char *bytes = (char *)malloc(k->bytes + 1), *to = bytes;
	for (unsigned i = 0; i < k->count; i++) {
		memcpy(to, args[i], k->sizes[i]);
		to += k->sizes[i];
	}
	Call c(WEFT_LAUNCH, k->id, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, (uint64_t)cooperative | (uint64_t)cluster << 1, at.line, k->bytes);
	c.own(bytes, k->bytes);
	c.own(at.file, strlen(at.file));
	cudaError_t e = c.run();
	free(bytes);
	return e;
}

static Variable *variable(const void *shadow) {
	for (size_t i = 0; i < variables.count; i++) {
		Variable *v = variables.list[i];
		if (v->shadow != shadow)
			continue;
		if (v->address)
			return v;
		uint64_t module = idOf(v->module);
		if (!module)
			return nullptr;
		Call c(WEFT_VARIABLE, module);
		c.add(v->name, strlen(v->name));
		if (c.run() != cudaSuccess)
			return nullptr;
		if (c.reply.bytes && map(c.value(0), c.value(2), c.rest) != cudaSuccess)
			return nullptr;
		v->size = c.value(1);
		v->address = c.value(0);
		return v;
	}
	fail(cudaErrorInvalidSymbol);
	return nullptr;
}

bool symbol(const void *shadow, uint64_t *address, uint64_t *size) {
	Variable *v = variable(shadow);
	if (!v)
		return false;
	*address = v->address, *size = v->size;
	return true;
}

} // namespace weft

using namespace weft;

namespace {
// How a program's object carries its code: by clang the PTX as it stands, by nvcc a container, in which code of several
// GPUs lies, compressed or not.
struct Wrapper {
	int magic, version;
	const char *data;
	void *unused;
};
struct Container {
	uint32_t magic;
	uint16_t version, header;
	uint64_t size;
};

size_t sizeOf(const char *data) {
	const Container *c = (const Container *)data;
	return c->magic == 0xba55ed50 ? c->header + c->size : strlen(data);
}

// The configuration between <<< and >>>, until the launch takes it.
struct Configuration {
	dim3 grid, block;
	size_t shared;
	void *stream;
	Site at;
};
thread_local Configuration stack[16];
thread_local int depth;
} // namespace

extern "C" {

void **__cudaRegisterFatBinary(const Wrapper *w) {
	// Objects that were linked have the same module, which is one: its first line says so (link.go).
	static const char linked[] = "// linked of all files of the program\n";
	if (!strncmp(w->data, linked, sizeof linked - 1))
		for (Module **m : modules)
			if (!strcmp((*m)->text, w->data))
				return (void **)*m;
	Module *m = (Module *)malloc(sizeof *m);
	*m = {w->data, sizeOf(w->data), 0};
	modules.add(m);
	return (void **)m;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }

void __cudaRegisterFunction(void **module, const void *stub, char *, const char *name, int, void *, void *, void *, void *, int *) {
	kernels.add({stub, (Module *)module, name, 0, 0, 0, nullptr});
}
void __cudaRegisterVar(void **module, char *shadow, char *, const char *name, int, size_t size, int, int) {
	variables.add({shadow, nullptr, (Module *)module, name, 0, size});
}
void __cudaRegisterManagedVar(void **module, void **pointer, void *, const char *name, size_t size, unsigned) {
	Variable *v = variables.add({pointer, pointer, (Module *)module, name, 0, size});
	// The host uses it without a call.
	if (variable(v->shadow))
		*pointer = (void *)v->address;
}
void __cudaRegisterSurface(void **, const void *, const void **, const char *, int, int) { missing("surface references"); }
void __cudaRegisterTexture(void **module, const void *reference, const void **, const char *name, int, int, int) {
	variables.add({reference, nullptr, (Module *)module, name, 0, 0});
}

unsigned __weftPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream, const char *file, unsigned line) {
	if (depth == 16)
		return 1;
	stack[depth++] = {grid, block, shared, stream, {file, line}};
	return 0;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream) {
	return __weftPushCallConfiguration(grid, block, shared, stream, "", 0);
}
// Since CUDA 12.8, nvcc's stubs ask for a handle of the kernel once, and launch by it. Here the handle is the address of the stub, by which
// kernels are registered.
cudaError_t __cudaGetKernel(void **handle, const void *func) {
	*handle = (void *)func;
	return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(void *handle, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
	return cudaLaunchKernel(handle, grid, block, args, shared, stream);
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
	if (depth == 0)
		return fail(cudaErrorMissingConfiguration);
	Configuration &c = stack[--depth];
	*grid = c.grid, *block = c.block, *shared = c.shared, *(void **)stream = c.stream;
	site() = c.at;
	return cudaSuccess;
}
}

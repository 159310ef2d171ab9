// What a CUDA program and weft say to each other over the socket that WEFT_CUDA names. A request is answered before the next
// one. Package cuda has the other side, and a test that both have the same numbers.
#pragma once
#include <stdint.h>

enum { WEFT_VERSION = 1 };

enum weft_call {
	WEFT_HELLO = 1,    // version, process -> GPUs
	WEFT_MODULE,       // text of PTX -> module
	WEFT_FUNCTION,     // module, name -> function; sizes of the parameters, as 32-bit numbers
	WEFT_VARIABLE,     // module, name -> address, size, path of its memory if it is managed
	WEFT_MALLOC,       // size, line; file -> address
	WEFT_SHARE,        // size, kind, line; file -> address, bytes mapped; path of the memory
	WEFT_FREE,         // address -> bytes mapped
	WEFT_WRITE,        // address, stream; bytes
	WEFT_READ,         // address, size, stream, where to in the program, wait
	WEFT_COPY,         // to, from, size, stream
	WEFT_SET,          // address, value, width, height, pitch, stream
	WEFT_LAUNCH,       // function, grid, block, shared, stream, cooperative + 2 * (blocks of a cluster along x, y and z, a byte each), line; arguments and file
	WEFT_SYNCHRONIZE,  // what (0 device, 1 stream, 2 event), which, only ask
	WEFT_STREAM,       // flags -> stream
	WEFT_STREAM_END,   // stream
	WEFT_STREAM_WAIT,  // stream, event
	WEFT_EVENT,        // flags -> event
	WEFT_EVENT_END,    // event
	WEFT_EVENT_RECORD, // event, stream
	WEFT_EVENT_TIME,   // start, end -> picoseconds between
	WEFT_DEVICE,       // GPU -> numbers of enum weft_property; name
	WEFT_OCCUPANCY,    // function, threads, shared -> blocks per SM, free shared memory
	WEFT_ATTRIBUTES,   // function -> numbers of enum weft_attribute
	WEFT_SET_ATTRIBUTE,// function, attribute, value
	WEFT_MEMORY,       // -> free, total
	WEFT_RESET,        // -> number of shared regions that are gone; address and bytes mapped of each
	WEFT_PEER,         // what (0 can, 1 enable, 2 disable), from, to -> answer
	WEFT_POINTER,      // address -> kind, GPU, start, size
	WEFT_TRAP,         // what a program called that weft does not have; name
	WEFT_EXIT,         // status
	WEFT_TEXTURE,      // variable or 0, address, size, format -> texture
	WEFT_TENSOR_MAP,   // type of elements, rank, address, interleave, swizzle, promotion, fill; sizes, strides, boxes, strides of elements, 5 each -> tensor map
	WEFT_CALLS
};

// Kinds of memory.
enum { WEFT_UNKNOWN, WEFT_GLOBAL, WEFT_HOST, WEFT_MANAGED };

struct weft_request {
	uint32_t call, device;
	uint64_t a[12];
	uint64_t bytes; // that follow
};

struct weft_reply {
	uint32_t error;  // cudaError
	uint32_t leave;  // 1: the program ends now, with status v[0]
	uint64_t v[4];
	uint64_t text;       // bytes for the program's stdout, which follow first
	uint64_t deliveries; // bytes of these, which follow then: where to, size, bytes
	uint64_t bytes;      // of the answer, which follow last
};

enum weft_property {
	WEFT_MEMORY_BYTES, WEFT_SHARED_PER_BLOCK, WEFT_SHARED_OPTIN, WEFT_SHARED_PER_SM, WEFT_REGISTERS_PER_SM, WEFT_CLOCK_KHZ, WEFT_MAJOR, WEFT_MINOR,
	WEFT_SMS, WEFT_MEMORY_CLOCK_KHZ, WEFT_BUS_BITS, WEFT_L2_BYTES, WEFT_THREADS_PER_SM, WEFT_BLOCKS_PER_SM, WEFT_PEERS, WEFT_PROPERTIES
};
enum weft_attribute {
	WEFT_STATIC_SHARED, WEFT_CONSTANT, WEFT_LOCAL, WEFT_MAX_THREADS, WEFT_REGISTERS, WEFT_PTX_VERSION, WEFT_BINARY_VERSION, WEFT_DYNAMIC_SHARED, WEFT_ATTRIBUTE_COUNT
};

// The format of a texture, which is 16 bytes: the address of its texels, their number and the format in 32 bits each. No format, 0, is that
// of a texture that is bound to no memory. The lowest bits are the logarithm of the bytes of a channel.
enum { WEFT_CHANNELS = 4, WEFT_SIGNED = 16, WEFT_FLOAT = 32, WEFT_NORMALIZED = 64, WEFT_BOUND = 128 }; // WEFT_CHANNELS times the logarithm of their number

// printf of kernels: a record for each call in a buffer of the module, which weft prints when the program waits for the
// kernel. A record is its size in words, the format's address, and the arguments' words as the caller laid them out. The
// PTX of this file, print.ptx, is added to a module that calls vprintf:
//
//	go test ./internal/service/cuda/printing -run TestPTX -update
#include <cuda_runtime.h>

#define WORDS (1u << 18)

__device__ unsigned __weft_print[WORDS + 2]; // words wanted, records lost, records

extern "C" __device__ int vprintf(const char *format, const char *arguments) {
	// The words of the arguments, by the format.
	unsigned words = 0;
	for (const char *p = format; *p; p++) {
		if (*p != '%')
			continue;
		bool wide = false;
		for (p++; *p; p++) {
			char c = *p;
			if (c == 'l' || c == 'j' || c == 'z' || c == 't')
				wide = true;
			else if (c == '*')
				words++;
			else if (!(c == '-' || c == '+' || c == ' ' || c == '#' || c == '.' || c == 'h' || (c >= '0' && c <= '9')))
				break;
		}
		if (!*p)
			break;
		if (*p == '%')
			continue;
		if (wide || !(*p == 'd' || *p == 'i' || *p == 'u' || *p == 'x' || *p == 'X' || *p == 'o' || *p == 'c'))
			words = ((words + 1) & ~1u) + 2;
		else
			words++;
	}
	unsigned at = atomicAdd(&__weft_print[0], words + 3);
	if (at + words + 3 > WORDS) {
		atomicAdd(&__weft_print[1], 1);
		return -1;
	}
	unsigned *record = &__weft_print[2 + at];
	record[0] = words + 3;
	record[1] = (unsigned)(unsigned long long)format;
	record[2] = (unsigned)((unsigned long long)format >> 32);
	for (unsigned i = 0; i < words; i++)
		record[3 + i] = ((const unsigned *)arguments)[i];
	return 1;
}

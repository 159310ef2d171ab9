//go:build cgo && linux

package worker

/*
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static int weft_memfd(void) { return memfd_create("weft-hw", MFD_CLOEXEC); }

static void weft_flush(void) { fflush(stdout); }

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// weft_map_at maps a file at an address; it returns 0, 1 if something else is there, and -1 for another error.
static int weft_map_at(uint64_t at, uint64_t n, int fd) {
	void *p = mmap((void *)at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
	if (p == (void *)at) return 0;
	if (p == MAP_FAILED) return errno == EEXIST ? 1 : -1;
	munmap(p, n); // a kernel older than the flag
	return 1;
}

static int64_t weft_now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

// weft_pause tells the processor that it is in a spin loop.
static inline void weft_pause(void) {
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

// weft_spin returns 1 as soon as *word is no longer old, 0 after ns.
static int weft_spin(uint32_t *word, uint32_t old, int64_t ns) {
	int64_t end = 0;
	for (;;) {
		for (int i = 0; i < 64; i++) {
			if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != old) return 1;
			weft_pause();
		}
		int64_t now = weft_now();
		if (!end) end = now + ns;
		if (now >= end) return 0;
	}
}

// weft_spin_answer returns 1 as soon as *word is no longer old, 2 as soon as all n words at seen have the mark in
// their upper half, 0 after ns.
static int weft_spin_answer(uint32_t *word, uint32_t old, uint64_t *seen, int n, uint32_t mark, int64_t ns) {
	int64_t end = 0;
	for (;;) {
		for (int i = 0; i < 64; i++) {
			int k = 0;
			while (k < n && __atomic_load_n(&seen[k], __ATOMIC_ACQUIRE) >> 32 == mark) k++;
			if (k == n) return 2;
			if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != old) return 1;
			weft_pause();
		}
		int64_t now = weft_now();
		if (!end) end = now + ns;
		if (now >= end) return 0;
	}
}
*/
import "C"

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// newShared maps zeroed memory, in two parts; if it is shared between processes, it also returns the file by which
// another process can map it.
func newShared(size, arena int, processes bool) (mem, more []byte, f *os.File, err error) {
	fd := -1
	if processes {
		n, err := C.weft_memfd()
		if n < 0 {
			return nil, nil, nil, err
		}
		fd = int(n)
		f = os.NewFile(uintptr(fd), "weft-hw")
		if err := f.Truncate(int64(size + arena)); err != nil {
			return nil, nil, nil, err
		}
	}
	mem, more, err = mapShared(fd, size, arena)
	return mem, more, f, err
}

// mapShared maps a file of newShared, or new memory if fd is -1. All pages of the first part are populated at once: page
// faults would take a large part of the first copy's time. The arena takes memory only as far as it is used.
func mapShared(fd, size, arena int) (mem, more []byte, err error) {
	flags := syscall.MAP_SHARED
	if fd < 0 {
		flags |= syscall.MAP_ANONYMOUS
	}
	const access = syscall.PROT_READ | syscall.PROT_WRITE
	if mem, err = syscall.Mmap(fd, 0, size, access, flags|syscall.MAP_POPULATE); err != nil || arena == 0 {
		return mem, nil, err
	}
	more, err = syscall.Mmap(fd, int64(size), arena, access, flags|syscall.MAP_NORESERVE)
	return mem, more, err
}

// mapAt maps a file at an address; nil if something else is there.
func mapAt(at uint64, size, fd int) ([]byte, error) {
	switch result, err := C.weft_map_at(C.uint64_t(at), C.uint64_t(size), C.int(fd)); {
	case result < 0:
		return nil, err
	case result > 0:
		return nil, nil
	}
	return unsafe.Slice((*byte)(pointer(at)), size), nil
}

// pointer is an address that no memory of Go has.
func pointer(at uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// newOutput returns an empty file in memory.
func newOutput() (*os.File, error) {
	fd, err := C.weft_memfd()
	if fd < 0 {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "output"), nil
}

// flushOutput writes what the C library has buffered for standard output.
func flushOutput() { C.weft_flush() }

// Monotonic returns the time of this machine since a fixed moment, in seconds; it is the same in all processes.
func Monotonic() float64 { return float64(C.weft_now()) / 1e9 }

// Nanoseconds is Monotonic in nanoseconds.
func Nanoseconds() int64 { return int64(C.weft_now()) }

func unshare(mem []byte) { C.munmap(unsafe.Pointer(unsafe.SliceData(mem)), C.size_t(len(mem))) }

// spin waits at most for limit until *w is no longer old, and reports whether that is so. It is written in C, in which
// a pause instruction keeps the sibling hardware thread fast, and the Go scheduler can let other goroutines run.
func spin(w *uint32, old uint32, limit time.Duration) bool {
	return C.weft_spin((*C.uint32_t)(w), C.uint32_t(old), C.int64_t(limit)) != 0
}

// spinAnswer waits at most for limit for a reply or an answer.
func spinAnswer(w *uint32, old uint32, seen []uint64, mark uint32, limit time.Duration) int {
	return int(C.weft_spin_answer((*C.uint32_t)(w), C.uint32_t(old), (*C.uint64_t)(unsafe.SliceData(seen)), C.int(len(seen)), C.uint32_t(mark), C.int64_t(limit)))
}

// Operations of futex(2), without the private flag: the memory is shared between processes.
const (
	futexWait = 0
	futexWake = 1
)

// sleep sleeps until w is woken, at most for limit; it returns at once if *w is no longer old.
func sleep(w *uint32, old uint32, limit time.Duration) {
	t := syscall.NsecToTimespec(int64(limit))
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWait, uintptr(old), uintptr(unsafe.Pointer(&t)), 0, 0)
}

// wake wakes all sleepers on w.
func wake(w *uint32) {
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWake, 1<<30, 0, 0, 0)
}

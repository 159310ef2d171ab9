package toolkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// library returns the runtime, compiled once for each version of clang: an object that is linked with programs, or the
// library that stands in for NVIDIA's libcudart.so.
func (b *builder) library(ctx context.Context, shared bool) (string, error) {
	name, args := fmt.Sprintf("runtime-%d.o", b.clang.Version), []string{"-c"}
	if shared {
		name = fmt.Sprintf("libcudart-%d/libcudart.so.12", b.clang.Version)
		args = []string{"-shared", "-pthread", "-Wl,-soname,libcudart.so.12", "-Wl,--version-script=" + filepath.Join(b.files, "runtime", "libcudart.map")}
	}
	path := filepath.Join(b.files, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "part-")
	if err != nil {
		return "", err
	}
	if err := part.Close(); err != nil {
		return "", err
	}
	defer os.Remove(part.Name()) // what is left of a failure
	args = append(args, "-x", "c++", "-std=c++17", "-O2", "-fPIC", "-fno-exceptions", "-fno-rtti", "-isystem", filepath.Join(b.files, "include"),
		"-o", part.Name(), filepath.Join(b.files, "runtime", "all.cpp"))
	if err := b.run(ctx, "compile the runtime of CUDA programs", args); err != nil {
		return "", err
	}
	return path, os.Rename(part.Name(), path)
}

// SharedLibrary returns the folder with a libcudart.so.12 that passes the calls of a program to weft.
func SharedLibrary(ctx context.Context) (string, error) {
	b := &builder{Request: &Request{Stderr: os.Stderr}}
	var err error
	if b.clang, err = Find(ctx); err != nil {
		return "", err
	}
	if b.files, err = folder(); err != nil {
		return "", err
	}
	path, err := b.library(ctx, true)
	return filepath.Dir(path), err
}

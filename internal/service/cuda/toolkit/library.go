package toolkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// library returns the runtime, compiled once for each version of clang: an object that is linked with programs, or the
// library that stands in for NVIDIA's, by the name under which a program looks for it: "libcudart.so.12".
func (b *builder) library(ctx context.Context, soname string) (string, error) {
	name, args := fmt.Sprintf("runtime-%d.o", b.clang.Version), []string{"-c"}
	if soname != "" {
		name = fmt.Sprintf("libcudart-%d/%s", b.clang.Version, soname)
	}
	path := filepath.Join(b.files, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if soname != "" {
		// The names of NVIDIA's library have its own name as their version, and the loader looks for both.
		symbols := path + ".map"
		if err := os.WriteFile(symbols, []byte(soname+exported), 0o644); err != nil {
			return "", err
		}
		args = []string{"-shared", "-pthread", "-Wl,-soname," + soname, "-Wl,--version-script=" + symbols}
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

// exported are the symbols of the library that a program sees, in a version script of the linker.
const exported = ` {
	global: cuda*; __cuda*; __weftPushCallConfiguration; __weftSite;
	local: *;
};
`

// SharedLibrary returns the folder with a library of the given name, such as libcudart.so.12, that passes the calls of a program to weft.
func SharedLibrary(ctx context.Context, soname string) (string, error) {
	b := &builder{Request: &Request{Stderr: os.Stderr}}
	var err error
	if b.clang, err = Find(ctx); err != nil {
		return "", err
	}
	if b.files, err = folder(); err != nil {
		return "", err
	}
	path, err := b.library(ctx, soname)
	return filepath.Dir(path), err
}

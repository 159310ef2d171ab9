package toolkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/internal/base/usage"
)

// Request says what to build.
type Request struct {
	Files    []string // .cu, .cpp, .cc, .cxx, .c, .o, .a
	Output   string   // "" for the name of the first file without its ending
	Includes []string // folders
	Defines  []string // NAME or NAME=VALUE
	Standard string   // c++17; "" for clang's own
	Optimize string   // 0 to 3; "" for 3 on the device and 2 on the host
	Arch     string   // sm_70; "" for DefaultArch
	Flags    []string // of clang, for all that it compiles and links
	PTX      bool     // write the PTX of the only .cu file to Output, and nothing else
	Stderr   io.Writer
}

// DefaultArch is the GPU for which code is generated if the user names none: the oldest one on which threads of a warp run
// independently, so that its PTX runs on every GPU of the hw device.
const DefaultArch = "sm_70"

// arches are the architectures, with the version of PTX that they need.
var arches = []struct{ name, ptx string }{
	{"sm_50", "ptx70"}, {"sm_52", "ptx70"}, {"sm_60", "ptx70"}, {"sm_61", "ptx70"}, {"sm_70", "ptx70"}, {"sm_75", "ptx70"},
	{"sm_80", "ptx71"}, {"sm_86", "ptx71"}, {"sm_89", "ptx78"}, {"sm_90", "ptx78"}, {"sm_90a", "ptx80"},
}

// Arches returns the names of the architectures.
func Arches() (names []string) {
	for _, a := range arches {
		names = append(names, a.name)
	}
	return names
}

// languages of files by their endings; "" goes to the linker as it is.
var languages = map[string]string{".cu": "cuda", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".c": "c", ".o": "", ".a": "", ".so": ""}

// check rejects a request that cannot be built, and fills in what it leaves open.
func (q *Request) check() error {
	if len(q.Files) == 0 {
		return usage.Errorf("such as weft cuda build prog.cu", "weft cuda build needs a file")
	}
	device := 0
	for _, f := range q.Files {
		language, ok := languages[filepath.Ext(f)]
		if !ok {
			return usage.Errorf("sources end in .cu, .cpp, .cc, .cxx or .c, and what is linked in .o, .a or .so", "%s is no file of a CUDA program", f)
		}
		if language == "cuda" {
			device++
		}
		if _, err := os.Stat(f); err != nil {
			return err
		}
	}
	if q.Arch == "" {
		q.Arch = DefaultArch
	}
	if !slices.Contains(Arches(), q.Arch) {
		return usage.Unknown("architecture", q.Arch, Arches(), "")
	}
	if q.PTX && (device != 1 || len(q.Files) != 1) {
		return usage.Errorf("", "--ptx writes the PTX of one .cu file")
	}
	if q.Output == "" {
		base := filepath.Base(q.Files[0])
		q.Output = strings.TrimSuffix(base, filepath.Ext(base))
		if q.PTX {
			q.Output += ".ptx"
		}
	}
	for _, f := range q.Files {
		if same(f, q.Output) {
			return usage.Errorf("", "-o %s would overwrite a source", q.Output)
		}
	}
	return nil
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// builder is one build.
type builder struct {
	*Request
	clang *Clang
	files string // the folder with headers and runtime
	temp  string
	mu    sync.Mutex // of Stderr
}

// Build compiles and links a program. Errors and warnings of clang go to q.Stderr as they are; the error then says only that
// clang failed.
func Build(ctx context.Context, q Request) (err error) {
	if err := q.check(); err != nil {
		return err
	}
	b := &builder{Request: &q}
	if b.clang, err = Find(ctx); err != nil {
		return err
	}
	if b.files, err = folder(); err != nil {
		return err
	}
	if b.temp, err = os.MkdirTemp("", "weft-cuda-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.temp)) }()
	if q.PTX {
		return b.device(ctx, q.Files[0], q.Output)
	}
	library, err := b.library(ctx, "")
	if err != nil {
		return err
	}
	modules, objects := make([]string, len(q.Files)), make([]string, len(q.Files))
	if err := each(q.Files, func(i int, f string) (err error) {
		modules[i], err = b.module(ctx, i, f)
		return err
	}); err != nil {
		return err
	}
	if err := carry(modules); err != nil {
		return err
	}
	if err := each(q.Files, func(i int, f string) (err error) {
		objects[i], err = b.compile(ctx, i, f, modules[i])
		return err
	}); err != nil {
		return err
	}
	args := slices.Concat([]string{"-o", q.Output}, objects, []string{library, "-pthread"}, slices.DeleteFunc(slices.Clone(q.Flags), standsIn))
	return b.run(ctx, "link "+q.Output, args)
}

// standsIn reports whether a flag of the linker names a library of NVIDIA's for which weft's runtime or headers stand in.
func standsIn(flag string) bool {
	return slices.Contains([]string{"-lcuda", "-lcudart", "-lcudart_static", "-lcudadevrt", "-lnvToolsExt"}, flag)
}

// each calls a function for all files at the same time, and returns the first error in their order.
func each(files []string, do func(i int, file string) error) error {
	errs := make([]error, len(files))
	var group sync.WaitGroup
	for i, f := range files {
		group.Go(func() { errs[i] = do(i, f) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// module returns the file of a .cu file's PTX; "" for other files.
func (b *builder) module(ctx context.Context, i int, file string) (ptx string, err error) {
	if languages[filepath.Ext(file)] != "cuda" {
		return "", nil
	}
	ptx = filepath.Join(b.temp, fmt.Sprintf("%d.ptx", i))
	return ptx, b.device(ctx, file, ptx)
}

// carry prepares modules for the objects of the program, which carry them as strings. All have the same one if they are linked.
func carry(modules []string) error {
	texts := make([][]byte, 0, len(modules))
	paths := slices.DeleteFunc(slices.Clone(modules), func(path string) bool { return path == "" })
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		texts = append(texts, text)
	}
	if all := link(texts); all != nil {
		for i := range texts {
			texts[i] = all
		}
	}
	for i, path := range paths {
		if err := os.WriteFile(path, append(texts[i][:len(texts[i]):len(texts[i])], 0), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// compile returns the object of a file, with its module.
func (b *builder) compile(ctx context.Context, i int, file, ptx string) (object string, err error) {
	language := languages[filepath.Ext(file)]
	if language == "" {
		return file, nil
	}
	object = filepath.Join(b.temp, fmt.Sprintf("%d.o", i))
	if language != "cuda" {
		return object, b.run(ctx, "compile "+file, slices.Concat([]string{"-x", language}, b.common("2", language), []string{"-c", "-o", object, file}))
	}
	// The device's half has shown all warnings.
	args := slices.Concat([]string{"-x", "cuda", "--cuda-host-only", "-w", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx}, cudaFlags, b.common("2", language), []string{"-c", "-o", object, file})
	return object, b.run(ctx, "compile "+file, args)
}

// cudaFlags are those of both halves: no files of NVIDIA's, and a launch as CUDA 12 has it.
// What nvcc accepts in device code or only warns of, clang accepts, too: variadic functions in Thrust, the word register.
var cudaFlags = []string{"-nocudainc", "-nocudalib", "-Xclang", "-target-sdk-version=12.4", "-Wno-unknown-cuda-version", "-Wno-error=register", "-Wno-pass-failed", "-Xclang", "-fcuda-allow-variadic-functions", "-include", "cuda_runtime.h"}

// device compiles the device's half of a file to PTX.
func (b *builder) device(ctx context.Context, file, ptx string) error {
	version := ""
	for _, a := range arches {
		if a.name == b.Arch {
			version = a.ptx
		}
	}
	if b.Arch == "sm_90" && b.clang.Version > 16 { // which does not know it: copies in bulk in assembly need it on a GPU
		version = "ptx80"
	}
	args := slices.Concat([]string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + b.Arch, "-Xclang", "-target-feature", "-Xclang", "+" + version,
		"-ffp-contract=fast-honor-pragmas", "-Wno-unused-command-line-argument"}, cudaFlags, b.common("3", "cuda"), []string{"-gline-tables-only", "-S", "-o", ptx, file})
	return b.run(ctx, "compile "+file, args)
}

// common returns the flags for every source.
func (b *builder) common(optimize, language string) []string {
	// nvcc names the architectures of a program in this macro, and Thrust and CUB put it into their names.
	args := []string{"-isystem", filepath.Join(b.files, "include"), "-D", "__CUDA_ARCH_LIST__=" + strings.TrimRight(strings.TrimPrefix(b.Arch, "sm_"), "a") + "0"}
	if b.Optimize != "" {
		optimize = b.Optimize
	}
	args = append(args, "-O"+optimize)
	if b.Standard != "" && language != "c" {
		args = append(args, "-std="+b.Standard)
	}
	for _, dir := range b.Includes {
		args = append(args, "-I", dir)
	}
	for _, d := range b.Defines {
		args = append(args, "-D", d)
	}
	return append(args, b.Flags...)
}

// run runs clang. What it prints goes to Stderr in one piece.
func (b *builder) run(ctx context.Context, what string, args []string) error {
	cmd := exec.CommandContext(ctx, b.clang.Path, args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	err := cmd.Run()
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, e := b.Stderr.Write(said.Bytes()); e != nil {
		return e
	}
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return usage.WithHint(fmt.Errorf("clang cannot %s", what), hintOf(said.String()))
}

// openmp is what a linker says, or a compiler, where clang's library for OpenMP is not there.
var openmp = regexp.MustCompile(`cannot find -lomp|'omp\.h' file not found`)

var absent = regexp.MustCompile(`'((thrust|cub|cutlass|nccl|cudnn)[/.][^']*)' file not found`)

// hintOf says what to do about an error of clang, if that is known.
func hintOf(said string) string {
	if m := absent.FindStringSubmatch(said); m != nil {
		if m[2] == "thrust" || m[2] == "cub" {
			return fmt.Sprintf("weft has no %s; apt-get install libthrust-dev libcub-dev, or -I names the folder of its sources", m[2])
		}
		return fmt.Sprintf("weft has no %s; if its sources are here and are headers alone, -I names their folder", m[2])
	}
	if openmp.MatchString(said) {
		return fmt.Sprintf("-fopenmp needs clang's library: apt-get install libomp-%d-dev", known)
	}
	return ""
}

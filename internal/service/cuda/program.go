package cuda

import (
	"context"
	"debug/elf"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/base/signals"
	"github.com/weft-gpu/weft/internal/base/usage"
	"github.com/weft-gpu/weft/internal/service/cuda/toolkit"
	"github.com/weft-gpu/weft/internal/service/devices"
	"github.com/weft-gpu/weft/internal/service/run"
)

// environment is the variable by which a program finds the socket.
const environment = "WEFT_CUDA"

// Program is a CUDA program that runs on a device.
type Program struct {
	Path   string   // the program; a name without a slash is looked for on the PATH
	Args   []string // its arguments
	Device *devices.Spec
	Watch  devices.Watch
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Warn is told what is wrong with a call, at once; Fail the error of a launch.
	Warn func(text string)
	Fail func(err error)
	// LaunchCost makes each process launch an empty kernel, too, before its own kernels and after them.
	LaunchCost bool
	// Launched is told the number of launches so far; nil for nobody.
	Launched func(n int)

	dir      string // where the program runs
	mu       sync.Mutex
	err      error // what ends the program
	works    []run.Work
	launches int
	began    time.Time
	times    []KernelTime
	timeOf   map[shapeKey]int
	costs    []LaunchCost
}

// Result says how a program ended, and what the device did.
type Result struct {
	run.On
	run.Work
	Program string   `json:"program"`
	Args    []string `json:"arguments,omitempty"`
	// Times are those of the launches by kernel and shape, in the order of their first launches.
	Times []KernelTime `json:"kernel_times,omitempty"`
	// Costs are those of the processes, in the order in which they ended, if Program.LaunchCost is set.
	Costs  []LaunchCost `json:"launch_costs,omitempty"`
	Status int          `json:"status"` // the exit code of the program; 128 and a signal's number for one that the signal ended
	Error  *run.Failure `json:"error,omitempty"`
	Called bool         `json:"-"` // the program has called CUDA
}

// Run runs the program to its end. The error is that of a launch; the result is nil if the program did not start.
func (p *Program) Run(ctx context.Context) (result *Result, err error) {
	path, err := exec.LookPath(p.Path)
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, usage.Errorf("weft cuda build makes one from sources", "cannot run %s: %v", p.Path, errors.Unwrap(err))
	}
	soname, err := needsLibrary(path)
	if err != nil {
		return nil, err
	}
	if p.dir, err = os.Getwd(); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "weft-cuda-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	socket := filepath.Join(folder, "socket")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	defer listener.Close() // a second time, if all went well
	signals.OwnPipes()     // the sockets
	// Sessions end when the program has ended.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, path, p.Args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.Stdin, p.Stdout, p.Stderr
	cmd.Env = append(os.Environ(), environment+"="+socket)
	if soname != "" {
		library, err := toolkit.SharedLibrary(ctx, soname)
		if err != nil {
			return nil, err
		}
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+strings.TrimSuffix(library+":"+os.Getenv("LD_LIBRARY_PATH"), ":"))
	}
	// Ctrl-C reaches both from a terminal; a signal for this process alone is passed on.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	p.began = time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var sessions sync.WaitGroup
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			sessions.Go(func() { p.serve(ctx, conn, stop) })
		}
	}()
	waited := cmd.Wait()
	_ = listener.Close() // nobody connects any more
	<-accepting
	sessions.Wait()
	r := &Result{On: run.OnDevice(p.Device), Program: p.Path, Args: p.Args, Status: statusOf(cmd.ProcessState)}
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Called, r.Times, r.Costs = len(p.works) > 0, p.times, p.costs
	for i := range p.works {
		r.Work = p.works[i] // the processes of one program follow each other
	}
	if p.err != nil {
		r.Error = run.FailureOf(p.err)
		r.Early = r.Error.Kind
	}
	var exit *exec.ExitError
	if waited != nil && !errors.As(waited, &exit) && p.err == nil {
		return r, waited
	}
	return r, p.err
}

// statusOf returns the exit code of a process as a shell gives it.
func statusOf(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return signals.Exit + int(w.Signal())
	}
	return s.ExitCode()
}

// serve serves a process of the program.
func (p *Program) serve(ctx context.Context, conn net.Conn, stop func()) {
	defer conn.Close()
	q, err := readRequest(conn)
	if err != nil {
		return
	}
	if call(q.Call) != callHello || q.A[0] != version {
		_ = (&reply{code: initializationError}).write(conn) // it says that it has to be built again
		return
	}
	s, err := newSession(ctx, p)
	if err != nil {
		p.fail(err)
		stop()
		return
	}
	// A launch ends when its process has ended.
	sessionCtx, end := context.WithCancel(ctx)
	defer end()
	s.ctx = sessionCtx
	if err := (&reply{v: [4]uint64{uint64(len(s.gpus))}}).write(conn); err == nil {
		_ = s.serve(conn, end) // a process may end at any time
	}
	p.took(s)
	s.free()
	if err := s.opened.Close(); err != nil {
		p.fail(err)
	}
}

// took adds what the device of a session did.
func (p *Program) took(s *session) {
	w := run.Work{}
	w.Take(s.opened.Total(), time.Since(p.began), s.timed.Inside)
	w.TakeSampled(s.opened)
	w.Races, w.RacesForgotten = p.Watch.Races.List(), p.Watch.Races.Forgotten()
	w.Explain(s.timed.Kernels.List(s.opened))
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.Launches > 0 || len(p.works) == 0 {
		p.works = append(p.works, w)
	}
	if s.empty != nil {
		p.costs = append(p.costs, s.empty.cost)
	}
}

// warn tells the user about a call.
func (p *Program) warn(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Warn(text)
}

// fail notes an error that ends the program, or of which it learns, and tells the user.
func (p *Program) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil {
		p.err = err
		p.Fail(err)
	}
}

// launched counts launches.
func (p *Program) launched() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.launches++
	if p.Launched != nil {
		p.Launched(p.launches)
	}
}

// The exit codes of a program whose kernel does not end.
const (
	exitHang      = 3
	exitUndecided = 4
)

// ends says whether the error of a launch ends the program at once, and with which exit code: a GPU would let it wait for ever.
func (p *Program) ends(err error) (status int, ends bool) {
	var (
		hang      *device.HangError
		undecided *device.UndecidedError
		circles   *circlesError
	)
	switch {
	case errors.As(err, &hang):
		return exitHang, true
	case errors.As(err, &undecided), errors.As(err, &circles):
		return exitUndecided, true
	case signals.Ended(err):
		return signals.Exit + int(syscall.SIGINT), true
	}
	return 0, false
}

// needsLibrary returns the name of the shared library from which a program takes its CUDA runtime, as one of nvcc -cudart shared does;
// "" for none.
// The error is that of a program that weft cannot run.
func needsLibrary(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", nil // a script, which starts programs
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		return "", nil // a static program
	}
	soname := ""
	for _, l := range libraries {
		switch {
		case strings.HasPrefix(l, "libcudart.so"):
			soname = l
		case strings.HasPrefix(l, "libcuda.so"), strings.HasPrefix(l, "libcublas"), strings.HasPrefix(l, "libcurand"), strings.HasPrefix(l, "libcusparse"), strings.HasPrefix(l, "libcufft"):
			return "", usage.Errorf("", "%s needs %s, which weft does not have", path, l)
		}
	}
	if soname != "" {
		return soname, nil
	}
	symbols, _ := f.Symbols() // none in a program that was stripped
	ours, cudart := false, false
	for _, s := range symbols {
		ours = ours || s.Name == "__weftSite"
		cudart = cudart || s.Name == "cudaMalloc" || s.Name == "cudaLaunchKernel"
	}
	if cudart && !ours {
		return "", usage.Errorf("link it with nvcc -cudart shared, or build it from its sources by weft cuda build", "%s has NVIDIA's CUDA runtime in it", path)
	}
	return "", nil
}

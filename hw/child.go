package hw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/weft-gpu/weft/hw/internal/worker"
)

// init serves the parent and never returns if this process was started as a child.
func init() {
	if os.Getenv(worker.ByMain) == "" {
		worker.MaybeChild()
	}
}

// child is a running child process, or a goroutine of this process in its place.
type child struct {
	*worker.Channel
	cmd    *exec.Cmd // nil if the child is a goroutine of this process
	lines  *worker.Lines
	stderr *tail
	over   chan struct{} // closed when the process has ended
}

// tail keeps the last output of the child on standard error.
type tail struct {
	sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(b []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	t.buf.Write(b)
	if n := t.buf.Len() - 4096; n > 0 {
		t.buf.Next(n)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.Lock()
	defer t.Unlock()
	return strings.TrimSpace(t.buf.String())
}

// answerTime is how long a child may take to report that it serves, which it does before anything else. A program that
// is not a child after all may never report.
var answerTime = 20 * time.Second

// startChild starts this program again as a child, and shares an arena of the given size with it.
func startChild(arena int) (*child, error) {
	if !worker.Available {
		return nil, &failureError{worker.Failure{Missing: true, Text: missingBackend}, ""}
	}
	if os.Getenv(worker.InProcess) != "" {
		return startInProcess(arena)
	}
	if worker.Refuse() {
		return nil, fmt.Errorf("hw: %w", worker.ErrForgotten)
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	lines, err := worker.NewLines(arena)
	if err != nil {
		return nil, fmt.Errorf("hw: joining a child process: %w", err)
	}
	c := &child{Channel: lines.Channel, cmd: exec.Command(exe), lines: lines, stderr: &tail{}, over: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), lines.Env)
	c.cmd.ExtraFiles = lines.Files
	c.cmd.Stdout, c.cmd.Stderr = c.stderr, c.stderr
	c.cmd.WaitDelay = time.Second // the driver's own children may hold standard error open
	detach(c.cmd)
	err = c.cmd.Start()
	lines.Started()
	if err != nil {
		lines.Close()
		return nil, fmt.Errorf("hw: starting the child process: %w", err)
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.over)
	}()
	if err := lines.Await(answerTime); err != nil {
		c.end(true)
		return nil, fmt.Errorf("hw: %w", err)
	}
	go lines.Watch()
	return c, nil
}

// startInProcess serves from a goroutine of this process. It ends only with the process.
func startInProcess(arena int) (*child, error) {
	ch, err := worker.NewChannel(false, arena)
	if err != nil {
		return nil, fmt.Errorf("hw: %w", err)
	}
	go worker.Serve(ch)
	return &child{Channel: ch}, nil
}

// wait waits for the reply to a request; see worker.Channel.Await. If the child has ended, the error contains its last
// output.
func (c *child) wait(ctx context.Context, deadline time.Duration) (*worker.Failure, error) {
	f, err := c.Await(ctx, deadline)
	return f, c.explain(err)
}

// ask sends a message and waits for the reply; see worker.Channel.Ask.
func (c *child) ask(ctx context.Context, deadline time.Duration, op worker.Op, args, reply any) (*worker.Failure, error) {
	f, err := c.Ask(ctx, deadline, op, args, reply)
	return f, c.explain(err)
}

func (c *child) explain(err error) error {
	if !errors.Is(err, worker.ErrEnded) {
		return err
	}
	select { // its output is complete once it has ended
	case <-c.over:
	case <-time.After(time.Second):
	}
	if text := c.stderr.String(); text != "" {
		return fmt.Errorf("hw: %w: %s", err, text)
	}
	return fmt.Errorf("hw: %w (%v)", err, c.cmd.ProcessState)
}

// end stops the child: by closing its input, or by a signal if kill is true.
func (c *child) end(kill bool) {
	if c.cmd == nil {
		if !kill { // a hanging child may still write to the memory
			c.Ready()
			c.Send(worker.OpEnd)
		}
		return
	}
	if kill {
		_ = c.cmd.Process.Kill()
	}
	_ = c.lines.Requests.Close()
	timer := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	<-c.over
	timer.Stop()
	c.lines.Close()
}

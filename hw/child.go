package hw

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/weft-gpu/weft/hw/worker"
)

// errEnded is the cause of calls that a child's end cut off.
var errEnded = errors.New("the child process that holds the GPU ended")

// errLate says that a call did not return before the host's deadline.
var errLate = errors.New("the deadline has passed")

// child is a running child process.
type child struct {
	cmd    *exec.Cmd // nil in this process
	rpc    *rpc.Client
	stderr *tail
}

// pipes joins the child's output and input to a connection.
type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }

func (p pipes) Close() error { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// tail keeps the end of what the child says on standard error.
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

// answerTime is how long a child may take to say that it is one, which it does
// before anything else. A program that forgot to ask may never say anything.
var answerTime = 20 * time.Second

// startChild starts this program again as a child.
func startChild() (*child, error) {
	if !worker.Available {
		return nil, &failureError{worker.Failure{Missing: true, Text: missingBackend}, ""}
	}
	if os.Getenv(worker.InProcess) != "" {
		return startInProcess(), nil
	}
	if worker.Refuse() {
		return nil, fmt.Errorf("hw: %w", worker.ErrForgotten)
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	lines, err := worker.NewLines()
	if err != nil {
		return nil, fmt.Errorf("hw: pipes to a child process: %w", err)
	}
	c := &child{cmd: exec.Command(exe), stderr: &tail{}}
	c.cmd.Env = append(os.Environ(), lines.Env)
	c.cmd.ExtraFiles = lines.Files
	c.cmd.Stdout, c.cmd.Stderr = c.stderr, c.stderr
	detach(c.cmd)
	err = c.cmd.Start()
	lines.Started()
	if err != nil {
		lines.Close()
		return nil, fmt.Errorf("hw: starting the child process: %w", err)
	}
	if err := lines.Await(answerTime); err != nil {
		c.cmd.Process.Kill()
		c.cmd.Wait()
		lines.Close()
		return nil, fmt.Errorf("hw: %w", err)
	}
	c.rpc = rpc.NewClient(pipes{lines.Replies, lines.Requests})
	return c, nil
}

// startInProcess serves from a goroutine of this process. Nothing can end it
// but the end of the process.
func startInProcess() *child {
	requests, in := io.Pipe()
	out, replies := io.Pipe()
	go func() {
		worker.Serve(requests, replies)
		replies.Close()
	}()
	return &child{rpc: rpc.NewClient(pipes{out, in}), stderr: &tail{}}
}

// call calls the child and waits for the answer: not past the deadline where
// it is positive, and not past the end of ctx.
func (c *child) call(ctx context.Context, deadline time.Duration, method string, args, reply any) error {
	done := c.rpc.Go("W."+method, args, reply, make(chan *rpc.Call, 1)).Done
	var late <-chan time.Time
	if deadline > 0 {
		t := time.NewTimer(deadline)
		defer t.Stop()
		late = t.C
	}
	select {
	case r := <-done:
		if r.Error != nil {
			if text := c.stderr.String(); text != "" {
				return fmt.Errorf("hw: %w: %s", errEnded, text)
			}
			return fmt.Errorf("hw: %w (%v)", errEnded, r.Error)
		}
		return nil
	case <-late:
		return errLate
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end stops the child: gently by closing its input, then by a signal, since a
// child whose GPU hangs does not come to read its input.
func (c *child) end(kill bool) {
	if c.cmd == nil {
		c.rpc.Close()
		return
	}
	if kill {
		c.cmd.Process.Kill()
	}
	c.rpc.Close()
	timer := time.AfterFunc(5*time.Second, func() { c.cmd.Process.Kill() })
	c.cmd.Wait()
	timer.Stop()
}

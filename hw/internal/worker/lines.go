//go:build cgo && linux

package worker

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Available reports whether this build can serve a parent.
const Available = true

// env tells a started program that it may be a child. Its value identifies the pipes that a parent created for the
// child, and contains a word that is written to the first of them: a user who sets the variable by hand has no such
// pipes, and a process that inherits it from a child has them closed.
const env = "WEFT_HW_CHILD"

// The first files of a child after the standard ones: the pipes, by which each side first identifies itself and later
// notices the end of the other, and the shared memory.
const (
	requestsFD = 3
	repliesFD  = 4
	memoryFD   = 5
)

// The first message of a child, after the word: that it serves, or that its program opened a GPU although the process was
// started as a child.
const (
	serves    = 's'
	forgotten = 'f'
)

// ErrForgotten means that a child runs its program instead of serving.
var ErrForgotten = errors.New("the process that was started to hold the GPU does not do so; the executable of this process must be a Go program with package hw linked in")

// Lines are the parent's ends of the connections to a child, and the files for the child.
type Lines struct {
	Requests *os.File // to write to
	Replies  *os.File // to read from
	Channel  *Channel
	Files    []*os.File
	Env      string // an entry of the environment
	word     string
}

// NewLines creates the pipes and the memory for a child, with an arena of the given size, before it is started.
func NewLines(arena int) (_ *Lines, err error) {
	l := &Lines{word: rand.Text()}
	defer func() { // also after only some of the files could be made, as with few descriptors
		if err != nil {
			l.Close()
		}
	}()
	requests, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l.Files, l.Requests = append(l.Files, requests), w
	r, replies, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l.Files, l.Replies = append(l.Files, replies), r
	if l.Channel, err = NewChannel(true, arena); err != nil {
		return nil, err
	}
	l.Files = append(l.Files, l.Channel.file)
	a, err := inode(int(requests.Fd()))
	if err != nil {
		return nil, err
	}
	b, err := inode(int(replies.Fd()))
	if err != nil {
		return nil, err
	}
	l.Env = fmt.Sprintf("%s=%d:%d:%s", env, a, b, l.word)
	_, err = l.Requests.WriteString(l.word) // the word fits in a pipe's buffer
	return l, err
}

// Close closes all files.
func (l *Lines) Close() {
	l.Started()
	if l.Channel != nil {
		l.Channel.Close()
	}
	for _, f := range []*os.File{l.Requests, l.Replies} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// Started closes the files that only the child uses.
func (l *Lines) Started() {
	for _, f := range l.Files {
		_ = f.Close()
	}
}

// Await waits for the child's first message, at most for limit. It returns ErrForgotten if the child does not serve.
func (l *Lines) Await(limit time.Duration) error {
	if err := l.Replies.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	b := make([]byte, len(l.word)+1)
	_, err := io.ReadFull(l.Replies, b)
	if err != nil || string(b) != l.word+string(rune(serves)) {
		return ErrForgotten
	}
	return l.Replies.SetReadDeadline(time.Time{})
}

// Watch marks the channel as ended when the child has ended for any reason, which closes its pipe.
func (l *Lines) Watch() {
	_, _ = io.Copy(io.Discard, l.Replies)
	l.Channel.Ended()
}

// inode returns the number of the pipe to which a file descriptor belongs.
func inode(fd int) (uint64, error) {
	var s syscall.Stat_t
	if err := syscall.Fstat(fd, &s); err != nil {
		return 0, err
	}
	if s.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return 0, errors.New("not a pipe")
	}
	return s.Ino, nil
}

// invited returns the word of the parent that started this process as a child; ok is false in every other process,
// whatever its environment.
func invited() (word string, ok bool) {
	value := os.Getenv(env)
	if value == "" {
		return "", false
	}
	a, err1 := inode(requestsFD)
	b, err2 := inode(repliesFD)
	word, named := strings.CutPrefix(value, fmt.Sprintf("%d:%d:", a, b))
	return word, err1 == nil && err2 == nil && named && word != ""
}

// answer writes the first message of a child.
func answer(word string, state byte) error {
	b := append([]byte(word), state)
	for len(b) > 0 {
		n, err := syscall.Write(repliesFD, b)
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return err
		}
		b = b[max(n, 0):]
	}
	return nil
}

// MaybeChild serves the parent and never returns if this process was started as a child; otherwise it does nothing.
// Package hw calls it when it is initialized.
func MaybeChild() {
	word, ok := invited()
	os.Unsetenv(env) // processes started by this one are not children
	if !ok {
		return
	}
	// Processes that the driver starts must not inherit the files.
	for _, fd := range []int{requestsFD, repliesFD, memoryFD} {
		syscall.CloseOnExec(fd)
	}
	leave := func(what string) {
		fmt.Fprintln(os.Stderr, "hardware child:", what)
		os.Exit(1)
	}
	requests := os.NewFile(requestsFD, "requests")
	got := make([]byte, len(word))
	if _, err := io.ReadFull(requests, got); err != nil || string(got) != word {
		leave("the parent does not say what it announced")
	}
	mem, arena, err := attach()
	if err != nil {
		leave(fmt.Sprintf("mapping the shared memory: %v", err))
	}
	if err := answer(word, serves); err != nil {
		os.Exit(1) // the parent has ended
	}
	go func() { // even while the GPU hangs
		_, _ = io.Copy(io.Discard, requests)
		os.Exit(0) // the parent closed the pipe, or has ended
	}()
	Serve(&Channel{mem: mem, arena: arena, spins: spinTime(runtime.GOMAXPROCS(0))})
	os.Exit(0)
}

// attach maps the memory that the parent shares; what its file has beyond the first part is the arena.
func attach() (mem, arena []byte, err error) {
	var s syscall.Stat_t
	if err := syscall.Fstat(memoryFD, &s); err != nil {
		return nil, nil, err
	}
	const size = stagingAt + staging
	return mapShared(memoryFD, size, int(s.Size)-size)
}

// Refuse reports whether this process was started as a child but runs its program instead, and tells the parent.
// Otherwise it would start a child of its own, which would do the same.
func Refuse() bool {
	word, ok := invited()
	if ok {
		_ = answer(word, forgotten) // ignored: the parent may have ended
	}
	return ok
}

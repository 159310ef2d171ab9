package outfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
)

// pending are the unfinished files of this process.
var pending = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// createBeside makes an unfinished file in the folder of path. Its mode is what
// umask leaves.
func createBeside(path string) (*os.File, error) {
	pending.Lock()
	defer pending.Unlock()
	for {
		name := besideName(path, rand.Uint64())
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			pending.names[name] = true
		}
		return f, err
	}
}

// rename gives an unfinished file its name.
func rename(name, path string) error {
	pending.Lock()
	defer pending.Unlock()
	err := os.Rename(name, path)
	if err == nil {
		delete(pending.names, name)
	}
	return err
}

// discard removes an unfinished file, if it is still one.
func discard(name string) error {
	pending.Lock()
	defer pending.Unlock()
	if !pending.names[name] {
		return nil
	}
	delete(pending.names, name)
	return os.Remove(name)
}

// Abandon removes all unfinished files of the process, and lets nobody make
// another: the process ends at once after it.
func Abandon() {
	pending.Lock() // for good
	for name := range pending.names {
		_ = os.Remove(name)
	}
}

package outfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"sync"
)

// pending is the set of unfinished files of this process.
var pending = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// createBeside makes an unfinished file in the folder of path, with the mode
// that umask leaves.
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

// rename renames an unfinished file to its final name.
func rename(name, path string) error {
	pending.Lock()
	defer pending.Unlock()
	err := os.Rename(name, path)
	if err == nil {
		delete(pending.names, name)
	}
	return err
}

// discard removes an unfinished file if it still exists.
func discard(name string) error {
	pending.Lock()
	defer pending.Unlock()
	if !pending.names[name] {
		return nil
	}
	delete(pending.names, name)
	return os.Remove(name)
}

// Abandon removes all unfinished files of the process and blocks the creation
// of others; the process must end right after it.
func Abandon() {
	pending.Lock() // never unlocked
	for name := range pending.names {
		_ = os.Remove(name)
	}
}

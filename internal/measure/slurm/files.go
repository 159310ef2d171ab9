package slurm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// lockFile is the file that the engine locks. A folder that has it is one of a study.
const lockFile = "lock"

// makeFolder makes the folder of a study. What it does not make itself, it takes only from an earlier engine: the
// folder is written to and removed in the end, so that it must be neither a link nor a folder of somebody's files.
func makeFolder(folder string) error {
	err := os.Mkdir(folder, 0o777)
	if errors.Is(err, fs.ErrExist) {
		info, err := os.Lstat(folder)
		switch {
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a symbolic link, and sweeps on a cluster make this folder themselves: remove the link", folder)
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder, and sweeps on a cluster make one of this name: move it away", folder)
		}
		list, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		if info, err := os.Lstat(filepath.Join(folder, lockFile)); len(list) > 0 && (err != nil || !info.Mode().IsRegular()) {
			return fmt.Errorf("%s has files that are not of a sweep, and a sweep on a cluster removes the folder of this name: move it away", folder)
		}
	} else if err != nil {
		return err
	}
	for _, sub := range []string{"todo", "begun", "shards", "log"} {
		if err := os.MkdirAll(filepath.Join(folder, sub), 0o777); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes a file that is complete or not there.
func writeFile(name string, data []byte, mode os.FileMode) error {
	return writeFrom(name, bytes.NewReader(data), mode)
}

// copyFile copies a file. What is at to is complete or has another name.
func copyFile(to, from string, mode os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeFrom(to, in, mode)
}

// writeFrom writes what a reader has to a new file beside name, which it then renames: a link that is at either
// name is not followed.
func writeFrom(name string, content io.Reader, mode os.FileMode) error {
	out, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	if err = errors.Join(err, out.Chmod(mode), out.Close()); err == nil {
		err = os.Rename(out.Name(), name)
	}
	if err != nil {
		_ = os.Remove(out.Name())
	}
	return err
}

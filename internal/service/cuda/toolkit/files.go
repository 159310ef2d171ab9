package toolkit

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

//go:embed all:include runtime
var files embed.FS

// fingerprint identifies the files that this program carries.
var fingerprint = sync.OnceValues(func() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:16], err
})

// folder returns the folder with the headers and the runtime's source. It is in the user's cache, and is written the first
// time.
func folder() (string, error) {
	name, err := fingerprint()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "weft", "cuda-"+name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", fmt.Errorf("the folder for CUDA headers: %w", err)
	}
	// Others may write it at the same time: the first folder that is whole stays.
	part, err := os.MkdirTemp(filepath.Dir(dir), "part-")
	if err != nil {
		return "", fmt.Errorf("the folder for CUDA headers: %w", err)
	}
	if err := os.CopyFS(part, files); err != nil {
		return "", errors.Join(fmt.Errorf("the folder for CUDA headers: %w", err), os.RemoveAll(part))
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return "", err
	}
	if err := os.Rename(part, dir); err != nil {
		_ = os.RemoveAll(part)
		if _, missing := os.Stat(dir); missing != nil {
			return "", fmt.Errorf("the folder for CUDA headers: %w", err)
		}
	}
	return dir, nil
}

package catalog

import (
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/weft-gpu/weft/internal/base/printable"
)

// isUserType reports whether a name has the form "./dir.Type".
func isUserType(name string) bool { return strings.ContainsAny(name, `./\`) }

// user returns the algorithm that "./dir.Type" names: it mounts the directory beside Weft's packages, and checks that
// its type is an Algorithm.
func (c *Catalog) user(name string) (Algorithm, error) {
	dir, typ, err := splitUserType(name)
	if err != nil {
		return Algorithm{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a, ok := c.users[name]; ok {
		return a, nil
	}
	at, err := c.mount(dir)
	if parent, base := filepath.Dir(dir), filepath.Base(dir); errors.Is(err, fs.ErrNotExist) && filepath.Base(parent) == base && isDir(parent) {
		err = fmt.Errorf("%w; the name of the package is not repeated: write %s.%s", err, strings.TrimSuffix(dir, "/"+base), typ)
	}
	if err != nil {
		return Algorithm{}, fmt.Errorf("algorithm %s: %w", name, err)
	}
	t, value, err := c.describe(at, typ)
	if err != nil {
		return Algorithm{}, fmt.Errorf("algorithm %s: %w", name, err)
	}
	a := Algorithm{Name: name, Doc: "type " + typ + " in " + dir, Type: t.Name, Value: value, User: dir}
	c.users[name], c.types[t.Name] = a, t
	return a, nil
}

// splitUserType returns directory and type of "./dir.Type".
func splitUserType(name string) (dir, typ string, err error) {
	dot := strings.LastIndex(name, ".")
	if dot < 0 || strings.ContainsAny(name[dot:], `/\`) || strings.Trim(path.Base(name), ".") == "" {
		dir := strings.TrimRight(name, `/\`)
		if strings.Trim(path.Base(dir), ".") == "" { // "./.Type" is clearer than "..Type", which means another folder
			dir += "/"
		}
		return "", "", fmt.Errorf("algorithm %q names a directory and no type in it; write %s.Type", name, printable.Line(dir))
	}
	dir, typ = name[:dot], name[dot+1:]
	if dir == "" || !token.IsIdentifier(typ) || !token.IsExported(typ) {
		return "", "", fmt.Errorf("algorithm %q: %q is not the name of an exported type; write ./directory.Type", name, typ)
	}
	return dir, typ, nil
}

// isDir reports whether a directory exists.
func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

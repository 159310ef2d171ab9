package compile

import (
	"fmt"
	"path"
)

// Source returns the text of a file by its displayed name ("kernels/bfs.go").
// The error says that no mounted package has the file, or why it cannot be
// read.
func (c *Compiler) Source(file string) ([]byte, error) {
	c.lock()
	defer c.unlock()
	for at, tree := range c.mounts {
		if c.shownFile(at, path.Base(file)) == file {
			return readSource(tree, path.Base(file))
		}
	}
	return nil, fmt.Errorf("no mounted package holds %s", file)
}

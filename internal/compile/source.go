package compile

import (
	"fmt"
	"path"
)

// Source returns the text of a file as positions name it ("kernels/bfs.go").
// The error says that no mounted package has it, or why it cannot be read.
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

package catalog

// Mount makes the Go files of a directory a package of the program's compiler,
// once, and returns its import path, as Entries and Kernel of the compiler take it.
func Mount(dir string) (importPath string, err error) {
	c, err := shared()
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mount(dir)
}

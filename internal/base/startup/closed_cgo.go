//go:build cgo && linux

package startup

/*
#include <fcntl.h>

static int closed;

// The C library calls constructors before Go's runtime starts.
__attribute__((constructor)) static void look(void) { closed = fcntl(1, F_GETFD) == -1; }

static int stdout_closed(void) { return closed; }
*/
import "C"

// StdoutClosed reports whether the process was started with a closed standard
// output (in a shell: ">&-").
func StdoutClosed() bool { return C.stdout_closed() != 0 }

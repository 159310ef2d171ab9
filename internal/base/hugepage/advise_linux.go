package hugepage

import "syscall"

// advise asks for huge pages. A system without them returns an error, and b
// keeps small pages.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

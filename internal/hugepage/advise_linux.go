package hugepage

import "syscall"

// advise asks for large pages; a system that has none says so, and small ones do.
func advise(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }

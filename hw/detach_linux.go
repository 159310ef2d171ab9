package hw

import (
	"os/exec"
	"syscall"
)

// detach protects the child from Ctrl-C: the parent decides when it ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

package hw

import (
	"os/exec"
	"syscall"
)

// detach keeps Ctrl-C from the child: the parent decides when it ends.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

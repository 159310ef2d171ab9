//go:build !linux

package hw

import "os/exec"

// detach does nothing on systems without a hardware backend.
func detach(*exec.Cmd) {}

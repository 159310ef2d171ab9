//go:build !linux

package hw

import "os/exec"

// detach does nothing where there is no hardware backend.
func detach(*exec.Cmd) {}

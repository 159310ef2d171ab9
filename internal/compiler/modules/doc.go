// Package modules finds the directories of packages that Go code imports, in
// the same way as the go command but without it: by go.mod, go.work, vendor and
// the module cache. It downloads nothing.
package modules

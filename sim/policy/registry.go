package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/weft-gpu/weft/sim/config"
)

// registry holds the makers of one kind of policy by name.
type registry[M any] struct {
	what  string   // "a warp scheduler"
	paths []string // the parameters that accept its names
	mu    sync.RWMutex
	makes map[string]M
	users map[string]bool // those that users registered
}

// builtIn adds a policy whose name package config already knows; make may be nil.
func (r *registry[M]) builtIn(name string, make M) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.makes == nil {
		r.makes = map[string]M{}
	}
	if _, taken := r.makes[name]; taken {
		panic(fmt.Sprintf("sim/policy: %s called %q is registered already; choose another name", r.what, name))
	}
	r.makes[name] = make
}

// register adds a user's policy.
func (r *registry[M]) register(name string, make M, none bool) {
	switch {
	case name == "":
		panic(fmt.Sprintf("sim/policy: %s without a name; give it one", r.what))
	case none:
		panic(fmt.Sprintf("sim/policy: %s called %q is nil; give a function that makes it", r.what, name))
	}
	r.builtIn(name, make)
	r.mu.Lock()
	if r.users == nil {
		r.users = map[string]bool{}
	}
	r.users[name] = true
	r.mu.Unlock()
	for _, p := range r.paths {
		config.AddPolicy(p, name)
	}
}

// ofUser reports whether a user registered the name.
func (r *registry[M]) ofUser(name string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.users[name]
}

// names returns the registered names, sorted.
func (r *registry[M]) names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.makes))
}

// find returns the maker of a name.
func (r *registry[M]) find(name string) (M, error) {
	r.mu.RLock()
	make, ok := r.makes[name]
	r.mu.RUnlock()
	if !ok {
		return make, fmt.Errorf("unknown %s %q; there are %s", strings.TrimPrefix(strings.TrimPrefix(r.what, "a "), "an "), name, strings.Join(r.names(), ", "))
	}
	return make, nil
}

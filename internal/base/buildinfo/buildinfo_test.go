package buildinfo

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPrograms: a program of another module has a version of its own, and its commit is
// not Weft's.
func TestPrograms(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	weft := of(&debug.BuildInfo{Main: debug.Module{Path: module, Version: "v1.2.3"}, Settings: vcs})
	assert.Equal(t, Info{Version: "v1.2.3", Commit: "abc", Modified: true, Go: weft.Go, Platform: weft.Platform}, weft)
	for want, dep := range map[string]*debug.Module{
		"v1.2.3":  {Path: module, Version: "v1.2.3"},
		"(devel)": {Path: module, Version: "v0.0.0", Replace: &debug.Module{Path: "../.."}},
		"v9.0.0":  {Path: module, Version: "v1.2.3", Replace: &debug.Module{Path: "example.com/fork", Version: "v9.0.0"}},
	} {
		b := of(&debug.BuildInfo{Main: debug.Module{Path: "example.com/mine"}, Deps: []*debug.Module{{Path: "example.com/other", Version: "v5.0.0"}, dep}, Settings: vcs})
		assert.Equal(t, want, b.Version)
		assert.Empty(t, b.Commit)
		assert.Equal(t, &Program{Module: "example.com/mine", Version: "(devel)", Commit: "abc", Modified: true}, b.Program)
	}
	assert.Equal(t, "(devel)", of(&debug.BuildInfo{}).Version)
	assert.Nil(t, of(&debug.BuildInfo{}).Program)
}

func TestThis(t *testing.T) {
	b := This()
	assert.Equal(t, runtime.Version(), b.Go)
	assert.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, b.Platform)
	assert.NotEmpty(t, b.Version)
}

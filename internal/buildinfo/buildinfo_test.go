package buildinfo

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThis(t *testing.T) {
	b := This()
	assert.Equal(t, runtime.Version(), b.Go)
	assert.Equal(t, runtime.GOOS+"/"+runtime.GOARCH, b.Platform)
	assert.NotEmpty(t, b.Version)
}

package cuda

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlainTextures checks what the driver of a real GPU gets.
func TestPlainTextures(t *testing.T) {
	text, err := plainTextures([]byte(".visible .global .texref image;\n.global .texref _ZL1t;\n\tld.global.u32 %r1, [%rd1];\n"))
	require.NoError(t, err)
	assert.Equal(t, ".visible .global .align 16 .b64 image[2];\n.global .align 16 .b64 _ZL1t[2];\n\tld.global.u32 %r1, [%rd1];\n", string(text))
	_, err = plainTextures([]byte("\t@%p1 tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [image, {%r1}];\n"))
	assert.EqualError(t, err, "tex.1d.v4.f32.s32: textures of programs that nvcc has built are not supported on a real GPU; build the program by weft cuda build")
}

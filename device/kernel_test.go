package device

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKinds(t *testing.T) {
	type mine uint16
	for k, of := range map[Kind]any{
		Bool: true, U8: uint8(0), S8: int8(0), U16: mine(0), S16: int16(0), U32: uint32(0), S32: int32(0),
		U64: uint(0), S64: 0, F32: float32(0), F64: 0.0,
	} {
		got, ok := KindOfType(reflect.TypeOf(of))
		assert.True(t, ok, k)
		assert.Equal(t, k, got)
		assert.True(t, k.Valid())
		assert.EqualValues(t, reflect.TypeOf(of).Size(), k.Bytes(), k)
	}
	assert.Equal(t, F32, KindOf[float32]())
	assert.Equal(t, U16, KindOf[mine]())
	assert.Equal(t, "uint16", U16.String())
	for _, k := range []Kind{0, kinds} {
		assert.False(t, k.Valid())
		assert.Equal(t, "?", k.String())
		assert.Zero(t, k.Bytes())
	}
	_, ok := KindOfType(reflect.TypeFor[string]())
	assert.False(t, ok)
}

func TestKernelHasCode(t *testing.T) {
	of := Kernel{Name: "p.K", Shared: 16}
	assert.Nil(t, of.Code())
	k := NewKernel(of, 7)
	assert.Equal(t, 7, k.Code())
	assert.Equal(t, 16, k.Shared)
	assert.Nil(t, of.Code(), "it is a copy")
}

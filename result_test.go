package weft

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/weft-gpu/weft/internal/service/catalog"
)

// TestResult checks that a user sees every public field of a result: each is set to a value of its own and must arrive.
func TestResult(t *testing.T) {
	assert.Nil(t, resultOf(nil))
	var r catalog.Result
	for v, i := reflect.ValueOf(&r).Elem(), 0; i < v.NumField(); i++ {
		f := v.Field(i)
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), i+1, i+1))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(int64(i + 1))
		case reflect.Uint64:
			f.SetUint(uint64(i + 1))
		case reflect.Float64:
			f.SetFloat(float64(i + 1))
		case reflect.Struct:
			f.Field(0).SetInt(int64(i + 1))
		case reflect.Interface:
			if f.Type().Name() == "error" {
				f.Set(reflect.ValueOf(assert.AnError))
			} else {
				f.Set(reflect.ValueOf(i))
			}
		default:
			t.Fatalf("%s: a value for %v", v.Type().Field(i).Name, f.Kind())
		}
	}
	seen, from := reflect.ValueOf(resultOf(&r)).Elem(), reflect.ValueOf(r)
	for i := range from.NumField() {
		name := from.Type().Field(i).Name
		if !from.Type().Field(i).IsExported() {
			continue
		}
		got := seen.FieldByName(name)
		if !assert.True(t, got.IsValid(), "weft.Result has no %s", name) {
			continue
		}
		if name == "Chosen" {
			assert.Equal(t, from.FieldByName(name).UnsafePointer(), got.UnsafePointer())
			continue
		}
		assert.Equal(t, from.FieldByName(name).Interface(), got.Interface(), name)
	}
}

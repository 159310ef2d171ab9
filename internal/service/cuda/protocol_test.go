package cuda

import (
	"bytes"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/internal/service/devices"
)

// enum returns the names of an enumeration of protocol.h, in their order.
func enum(t *testing.T, text, first, last string) []string {
	t.Helper()
	from, to := strings.Index(text, first), strings.Index(text, last)
	require.Positive(t, from)
	require.Greater(t, to, from)
	return regexp.MustCompile(`WEFT_\w+`).FindAllString(regexp.MustCompile(`//.*`).ReplaceAllString(text[from:to], ""), -1)
}

// TestProtocol checks that both sides have the same numbers.
func TestProtocol(t *testing.T) {
	header, err := os.ReadFile("toolkit/runtime/protocol.h")
	require.NoError(t, err)
	text := string(header)
	assert.Contains(t, text, "enum { WEFT_VERSION = 1 };")
	assert.Equal(t, 1, version)
	names := enum(t, text, "WEFT_HELLO = 1", "WEFT_CALLS")
	assert.Len(t, names, int(calls)-1)
	for i, name := range names {
		n := call(i + 1)
		if n != callHello { // which begins the session
			assert.NotNil(t, handlers[n], name)
		}
	}
	for n, want := range map[call]string{callHello: "WEFT_HELLO", callMalloc: "WEFT_MALLOC", callLaunch: "WEFT_LAUNCH", callEventTime: "WEFT_EVENT_TIME", callSetAttribute: "WEFT_SET_ATTRIBUTE", callExit: "WEFT_EXIT"} {
		assert.Equal(t, want, names[n-1])
	}
	assert.Equal(t, []string{"WEFT_UNKNOWN", "WEFT_GLOBAL", "WEFT_HOST", "WEFT_MANAGED"}, enum(t, text, "WEFT_UNKNOWN", "};\n\nstruct weft_request"))
	assert.Equal(t, []int{0, 1, 2, 3}, []int{kindUnknown, kindGlobal, kindHost, kindManaged})
	// Each property is a number of its own, in the order of the list.
	properties := enum(t, text, "WEFT_MEMORY_BYTES", "WEFT_PROPERTIES")
	p := propertiesOf(&devices.Spec{}, nil)
	assert.Len(t, p.list(), len(properties))
	assert.Len(t, enum(t, text, "WEFT_STATIC_SHARED", "WEFT_ATTRIBUTE_COUNT"), 8)
	assert.Equal(t, 8+12*8+8, requestBytes)
	assert.Contains(t, text, "uint64_t a[12];")
	assert.Equal(t, 12, reflect.TypeFor[request]().Field(2).Type.Len())
}

func TestReply(t *testing.T) {
	var b bytes.Buffer
	r := reply{code: illegalAddress, leave: true, v: [4]uint64{3, 0, 0, 1 << 40}, text: []byte("hi"), deliveries: []delivery{{0x1000, []byte{7, 8, 9}}}, data: []byte("end")}
	require.NoError(t, r.write(&b))
	want := "\xbc\x02\x00\x00\x01\x00\x00\x00" + "\x03\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("\x00", 16) + "\x00\x00\x00\x00\x00\x01\x00\x00" +
		"\x02\x00\x00\x00\x00\x00\x00\x00" + "\x13\x00\x00\x00\x00\x00\x00\x00" + "\x03\x00\x00\x00\x00\x00\x00\x00" +
		"hi" + "\x00\x10\x00\x00\x00\x00\x00\x00" + "\x03\x00\x00\x00\x00\x00\x00\x00" + "\x07\x08\x09" + "end"
	assert.Equal(t, want, b.String())
}

func TestRequest(t *testing.T) {
	head := make([]byte, requestBytes)
	head[0], head[4], head[8], head[requestBytes-8] = byte(callMalloc), 1, 42, 3
	q, err := readRequest(bytes.NewReader(append(head, "abcd"...)))
	require.NoError(t, err)
	assert.Equal(t, &request{Call: uint32(callMalloc), Device: 1, A: [12]uint64{42}, Bytes: 3, data: []byte("abc")}, q)
	head[requestBytes-2] = 1
	_, err = readRequest(bytes.NewReader(head))
	assert.EqualError(t, err, "a request of 281474976710659 bytes")
}

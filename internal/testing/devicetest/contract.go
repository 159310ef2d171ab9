package devicetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-gpu/weft/device"
	"github.com/weft-gpu/weft/internal/compiler/compile"
	"github.com/weft-gpu/weft/internal/testing/testkernels"
)

// Kernels returns the kernels of the test, which have names such as "testkernels.Packed".
func Kernels() (device.Kernels, error) {
	return compile.New(testkernels.Sources), nil
}

// Traits are the promises of a device beyond its capabilities and beyond what every device
// must do.
type Traits struct {
	// Faults: accesses out of range, divisions by zero and traps end the launch with a
	// *device.Fault.
	Faults bool
	// Hangs: a launch that cannot end returns a *device.HangError.
	Hangs bool
	// Keeps: a canceled launch leaves its partial results, and its report says how much it
	// did. Hardware must end the process that holds the memory.
	Keeps bool
	// Independent: diverged lanes of a warp make progress independently, as on Volta and
	// later.
	Independent bool
	// Strict: what PTX leaves undefined ends a launch, as on a device with the capability Unwritten.
	Strict bool
	// Capability is the compute capability of the GPU that the machine models, times 10: it refuses kernels with later instructions.
	// 0: it has all.
	Capability int
	// Repeats: racing threads give the same result in every run.
	Repeats bool
}

// Contract runs the whole test on devices that open returns; each part has its own device.
func Contract(t *testing.T, open func(t *testing.T) device.Device, traits Traits) {
	k, err := Kernels()
	require.NoError(t, err)
	for _, part := range []struct {
		name string
		test func(b *bench)
	}{
		{"Memory", testMemory}, {"MemoryErrors", testMemoryErrors}, {"Owners", testOwners}, {"Copies", testCopies}, {"OwnCopies", testOwnCopies}, {"Slices", testSlices}, {"Kinds", testKinds},
		{"Answers", testAnswers}, {"Args", testArgs}, {"ArgErrors", testArgErrors}, {"Sizes", testSizes}, {"SizeErrors", testSizeErrors},
		{"Bound", testBound}, {"Dynamic", testDynamic}, {"DynamicFaults", testDynamicFaults}, {"Tables", testTables}, {"Records", testRecords}, {"RecordErrors", testRecordErrors},
		{"Atomics", testAtomics}, {"Shared", testShared}, {"Votes", testVotes}, {"Warp", testWarp}, {"Far", testFar},
		{"Shapes", testShapes}, {"ShapeErrors", testShapeErrors}, {"ShapeFaults", testShapeFaults},
		{"Functions", testFunctions}, {"Conversions", testConversions}, {"Approximations", testApproximations}, {"FloatOrder", testFloatOrder}, {"Named", testNamed}, {"MBarrier", testMBarrier}, {"AsyncCopies", testAsyncCopies}, {"BulkCopies", testBulkCopies}, {"BulkStores", testBulkStores}, {"Swizzles", testSwizzles}, {"Tensors", testTensors}, {"Clusters", testClusters}, {"ClusterCopies", testClusterCopies}, {"Products", testProducts}, {"Chain", testChain}, {"Formats", testFormats}, {"GroupProducts", testGroupProducts}, {"GroupForms", testGroupForms}, {"GroupHalves", testGroupHalves}, {"SumsMisuse", testSumsMisuse}, {"Unaligned", testUnaligned}, {"LoadMatrices", testLoadMatrices}, {"StoreMatrices", testStoreMatrices}, {"Registers", testRegisters}, {"ClusterDims", testClusterDims}, {"SendValues", testSendValues},
		{"Cooperative", testCooperative}, {"Cancel", testCancel}, {"Close", testClose}, {"CloseDuring", testCloseDuring}, {"Occupancy", testOccupancy},
		{"Total", testTotal}, {"Capabilities", testCapabilities}, {"Faults", testFaults}, {"Strict", testStrict}, {"Hangs", testHangs}, {"Repeats", testRepeats}, {"Independent", testIndependent},
	} {
		t.Run(part.name, func(t *testing.T) {
			d := open(t)
			b := &bench{T: t, Device: d, kernels: k, traits: traits, open: open}
			part.test(b)
			require.NoError(t, d.Close())
		})
	}
}

// bench is one part of the test with its device.
type bench struct {
	*testing.T
	device.Device
	kernels device.Kernels
	traits  Traits
	open    func(t *testing.T) device.Device
}

func (b *bench) Name() string { return b.T.Name() }

// lacks reports whether the machine refuses instructions of a compute capability, times 10.
func (b *bench) lacks(capability int) bool {
	return b.traits.Capability != 0 && b.traits.Capability < capability
}

func (b *bench) kernel(name string) *device.Kernel {
	b.Helper()
	k, err := b.kernels.Kernel(b.Context(), "testkernels."+name, nil)
	require.NoError(b, err)
	return k
}

// buffer allocates a buffer with the elements of data.
func buffer[T any](b *bench, name string, kind device.Kind, data ...T) device.Buffer {
	b.Helper()
	buf, err := b.Alloc(name, kind, len(data))
	require.NoError(b, err)
	require.NoError(b, b.Write(buf, data))
	return buf
}

// read returns the contents of a buffer.
func read[T any](b *bench, buf device.Buffer) []T {
	b.Helper()
	out := make([]T, buf.Len)
	require.NoError(b, b.Read(buf, out))
	return out
}

func (b *bench) launch(name string, grid, block int, args ...any) (*device.Report, error) {
	b.Helper()
	return b.Launch(context.Background(), device.Launch{Kernel: b.kernel(name), Grid: grid, Block: block, Args: args})
}

// must launches a kernel that must not fail.
func (b *bench) must(name string, grid, block int, args ...any) *device.Report {
	b.Helper()
	rep, err := b.launch(name, grid, block, args...)
	require.NoError(b, err)
	require.NotNil(b, rep)
	require.Equal(b, 1, rep.Launches)
	return rep
}

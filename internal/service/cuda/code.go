package cuda

import (
	"errors"
	"strings"

	"github.com/weft-gpu/weft/device"
)

// code is an error of the runtime API, cudaError_t.
type code uint32

// The codes that this package returns.
const (
	success              code = 0
	invalidValue         code = 1
	memoryAllocation     code = 2
	initializationError  code = 3
	invalidConfiguration code = 9
	invalidSymbol        code = 13
	invalidDevicePointer code = 17
	invalidFunction      code = 98
	invalidDevice        code = 101
	noKernelImage        code = 209
	invalidPTX           code = 218
	peerUnsupported      code = 217
	operatingSystem      code = 304
	invalidHandle        code = 400
	notReady             code = 600
	illegalAddress       code = 700
	outOfResources       code = 701
	launchTimeout        code = 702
	peerEnabled          code = 704
	peerNotEnabled       code = 705
	contextDestroyed     code = 709
	assertion            code = 710
	illegalInstruction   code = 715
	misalignedAddress    code = 716
	launchFailure        code = 719
	cooperativeTooLarge  code = 720
	invalidClusterSize   code = 912
	notSupported         code = 801
)

// codes are those of faults that are no illegal access, by words of their descriptions: those of the executors and, in
// capitals, of NVIDIA's driver.
var codes = []struct {
	words string
	code  code
}{
	{"assert", assertion}, {"CUDA_ERROR_ASSERT", assertion},
	{"which is not a multiple of", misalignedAddress}, {"CUDA_ERROR_MISALIGNED_ADDRESS", misalignedAddress},
	{"trap", launchFailure}, {"CUDA_ERROR_LAUNCH_FAILED", launchFailure}, {"CUDA_ERROR_ILLEGAL_INSTRUCTION", illegalInstruction},
}

// codeOf returns the code that a program gets for the error of a launch that ran.
func codeOf(err error) code {
	var fault *device.Fault
	if !errors.As(err, &fault) {
		return launchFailure
	}
	for _, of := range codes {
		if strings.Contains(fault.What, of.words) {
			return of.code
		}
	}
	return illegalAddress
}

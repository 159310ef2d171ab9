package gpu

// Swizzle32 returns where a byte of shared memory lies in the layout of tensor maps that swizzles 32 bytes: of its 16-byte
// chunk, bit 4 of the offset is changed where bit 7 is set. The pattern repeats after 256 bytes. See [Swizzle128].
func Swizzle32(offset uint32) uint32 { return offset ^ offset>>7&1<<4 }

// Swizzle64 returns where a byte of shared memory lies in the layout that swizzles 64 bytes: bits 4 and 5 are changed where
// bits 7 and 8 are set. The pattern repeats after 512 bytes. See [Swizzle128].
func Swizzle64(offset uint32) uint32 { return offset ^ offset>>7&3<<4 }

// Swizzle128 returns where a byte of shared memory lies in the layout that swizzles 128 bytes: bits 4 to 6, the number of its
// 16-byte chunk in a row of 128 bytes, are changed where bits 7 to 9, the number of the row among eight, are set. The pattern
// repeats after 1024 bytes. It is its own inverse.
//
// In a matrix with rows of 128 bytes, the same column of eight rows is then on different banks, and a row is as it was on all
// of them: neither reads of rows nor reads of 16 bytes of a column have conflicts. Whoever writes an element and whoever reads it apply the
// same function to its offset in bytes from the begin of the variable.
//
// The layouts are those in which an H100 copies by tensor maps (results/hw/asynchronous/swizzle.cu); CuTe calls them
// Swizzle<1,4,3>, Swizzle<2,4,3> and Swizzle<3,4,3>.
func Swizzle128(offset uint32) uint32 { return offset ^ offset>>7&7<<4 }

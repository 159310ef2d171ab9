// Package async follows the asynchronous copies of a block by the rules of PTX: until when each is pending, and what must not be accessed
// until then. When bytes move is a matter of the executors: func moves them as late as the rules allow, a simulated machine when
// they have come.
package async

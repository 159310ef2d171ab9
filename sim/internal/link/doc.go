// Package link is the network between the GPUs of a group and the host: nodes, switches and wires as components, ports
// and connections of Akita.
//
// A wire has two lanes, one for each direction. A lane transmits one message after another: a message of n bytes
// occupies it for the time of n bytes and of the headers of the packets that carry them, and its first byte arrives
// the lane's latency later. A switch passes a message on as soon as its first byte has arrived (cut-through). Waiting
// messages of different inputs take turns, byte for byte. Long messages are transfers: they travel as chunks
// (link.chunk), so that they share a lane with others. A GPU that passes a message on for two others does so with each packet or chunk
// when it has arrived whole (store and forward).
//
// Buffers of switches are unlimited: a transfer to a busy GPU does not hold up others of the same sender.
package link

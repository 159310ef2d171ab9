package config

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Link is what joins the GPUs of a group to each other and to the host. Rates are for one direction; both directions
// of a link are independent. A machine names a kind of link (link.kind), which brings the values of all other
// parameters of the group; the machine may change each.
type Link struct {
	Kind     string `name:"kind" unit:"policy" doc:"kind of the links between GPUs; naming one sets all other parameters of the group to its values"`
	Topology string `name:"topology" unit:"policy" doc:"all-to-all (the links of a GPU are divided evenly among the other GPUs), switch (all links lead to one switch without contention inside), cube (the hybrid cube mesh of a DGX-1: up to 8 GPUs, each joined to four others at most, which pass on what is for the rest), or root-complex (GPUs share the links to the host)"`

	Links        int     `name:"links" unit:"link" min:"1" max:"64" doc:"links of a GPU to other GPUs"`
	Bandwidth    float64 `name:"bandwidth" unit:"GB/s" min:"0.01" max:"10000" doc:"bandwidth of a link in each direction, headers included"`
	Latency      float64 `name:"latency" unit:"ns" min:"10" max:"100000" doc:"time from the first byte leaving a GPU until it reaches another GPU, without load; with root-complex, also between GPU and host"`
	Header       int     `name:"header" unit:"byte" min:"0" max:"256" doc:"bytes of a packet that are not payload; a request for data is a packet without payload"`
	Payload      int     `name:"payload" unit:"byte" min:"32" max:"4096" doc:"maximum payload of a packet"`
	Atomic       int     `name:"atomic" unit:"byte" min:"4" max:"4096" doc:"maximum operands of a packet of atomics"`
	AtomicHeader int     `name:"atomic_header" unit:"byte" min:"0" max:"256" doc:"as link.header, for a packet of atomics"`
	Flit         int     `name:"flit" unit:"byte" min:"1" max:"256" doc:"the payload of a message is padded to a multiple of this"`
	Chunk        int     `name:"chunk" unit:"byte" min:"256" max:"1048576" doc:"bytes of a transfer that are simulated as one, and after which transfers that share a link take turns"`

	Run         float64 `name:"run" unit:"us" min:"0" max:"100000" doc:"overhead of a list of commands for a group, before the first one is queued"`
	Loop        float64 `name:"loop" unit:"us" min:"0" max:"100000" doc:"time for which the host is busy with a list of commands that has a launch, besides link.run and queueing: what a host loop does between two lists"`
	Stage       float64 `name:"stage" unit:"GB/s" min:"0" max:"100000" doc:"rate at which the host copies what a list of commands writes, before the list, to the memory that GPUs copy from, and what it reads, after the list, from the memory that they copy to; 0 if there are no such copies"`
	CopyIssue   float64 `name:"copy_issue" unit:"us" min:"0" max:"100000" doc:"time for which the host is busy to queue a command of a list: a launch or a copy"`
	CopyLatency float64 `name:"copy_latency" unit:"us" min:"0" max:"100000" doc:"time of a copy between two GPUs before its first byte leaves"`
	HostCopy    float64 `name:"host_copy" unit:"us" min:"0" max:"100000" doc:"as link.copy_latency, for a copy with the host in a list of commands; other copies with the host have copy.latency"`
	HostRate    float64 `name:"host_rate" unit:"GB/s" min:"0" max:"100000" doc:"bandwidth that a copy engine reaches with the host in a list of commands; 0 for copy.rate, which other copies have"`
	CopyRate    float64 `name:"copy_rate" unit:"GB/s" min:"0.01" max:"100000" doc:"bandwidth that a copy engine reaches between two GPUs, if the link allows it"`

	Root          float64 `name:"root" unit:"GB/s" min:"0.01" max:"100000" doc:"bandwidth of the root complex in each direction, shared by all transfers through it"`
	HostBandwidth float64 `name:"host_bandwidth" unit:"GB/s" min:"0.01" max:"10000" doc:"bandwidth of the link between a GPU and the host in each direction, headers included; with root-complex, that is the link to the other GPUs too, and link.bandwidth counts"`
	HostLatency   float64 `name:"host_latency" unit:"ns" min:"10" max:"100000" doc:"as link.latency, between a GPU and the host; unused with root-complex"`
	HostHeader    int     `name:"host_header" unit:"byte" min:"0" max:"256" doc:"as link.header, between a GPU and the host; unused with root-complex"`
	HostPayload   int     `name:"host_payload" unit:"byte" min:"32" max:"4096" doc:"as link.payload, between a GPU and the host; unused with root-complex"`

	PeerCopy    bool `name:"peer_copy" unit:"bool" doc:"copies between GPUs do not pass through the memory of the host"`
	PeerAccess  bool `name:"peer_access" unit:"bool" doc:"kernels may load and store the memory of other GPUs"`
	PeerAtomics bool `name:"peer_atomics" unit:"bool" doc:"kernels may update the memory of other GPUs atomically"`
}

// The topologies of Link.Topology.
const (
	AllToAll    = "all-to-all"
	Switch      = "switch"
	Cube        = "cube"
	RootComplex = "root-complex"
)

// linkKind is the parameter that selects the values of its group.
const linkKind, linkGroup = "link.kind", "link."

// links returns the kinds of links by name; they are read once.
var links = sync.OnceValue(func() presetFolder {
	sub, err := fs.Sub(embedded, "links")
	if err != nil {
		panic(err) // the name is one of the embedded folders
	}
	return readFolder(sub)
})

// Title returns the name of the kind as people write it: "NVLink 4", "PCIe 3".
func (l *Link) Title() string {
	if k := links()[l.Kind]; k != nil {
		return k.title
	}
	return l.Kind
}

// withLinks returns layers with the values of the kind of link, which the first layer that names one selects, below
// that layer.
func withLinks(layers []*layer) []*layer {
	for i, l := range layers {
		if e, ok := l.values[linkKind]; ok {
			return slices.Insert(slices.Clone(layers), i+1, links()[e.text])
		}
	}
	return layers
}

// setLinks sets the parameters of the group to the values of its kind, except those set since the machine was loaded.
func (g *GPU) setLinks() {
	g.origins = maps.Clone(g.origins)
	if g.origins == nil {
		g.origins = map[string]origin{}
	}
	kind := links()[g.Link.Kind]
	for path, e := range kind.values {
		g.origins[path] = origin{text: e.text, source: e.source, from: kind.name}
		if !slices.Contains(g.set, path) {
			if err := g.assign(path, e.text); err != nil {
				panic(err) // readLayer has checked it
			}
		}
	}
}

// noteSet remembers that a parameter of the links was set after loading.
func (g *GPU) noteSet(path string) {
	if strings.HasPrefix(path, linkGroup) && !slices.Contains(g.set, path) {
		g.set = append(slices.Clip(g.set), path)
	}
}

// Package page writes the results of a store as one page of HTML that needs no network: tables
// that sort and filter, plots, the source of kernels with the cost of each line, reports of hangs,
// and how to run everything again.
//
// Load reads a store into a [Page], which is plain data, and Write writes the page: the data as
// JSON, the scripts and styles of assets/, and Apache ECharts, which draws the plots. Whatever the
// store holds, such as names of graphs, is only ever text: the JSON is escaped, the scripts make
// text nodes, and the page's Content-Security-Policy lets no other script or style run.
//
// The same store gives the same bytes.
package page

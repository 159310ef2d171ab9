// Package table has tables of results: what queries return, and what exports, comparisons and
// plots read.
package table

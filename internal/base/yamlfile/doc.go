// Package yamlfile reads YAML files for people: every mistake of a file is reported at once,
// with line and column and what to write instead.
//
// A Reader has the syntax tree of one document and collects mistakes. Programs walk the tree
// with Mapping, List and Scalar, and add mistakes of their own with Add.
package yamlfile

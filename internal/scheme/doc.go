// Package scheme has the schemes that come with Weft, one per folder: device code, and the host loop that launches it.
// Only the list in internal/service/catalog imports them; a scheme may use the device code of another one.
package scheme

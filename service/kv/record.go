package kv

import (
	"encoding/json"
	"maps"
	"time"
)

// keptVersions is how many versions of a record are kept.
const keptVersions = 10

// record is the content of a path: some of its versions, and their metadata.
// It is also how the file keeps it.
type record struct {
	Created  string            `json:"created_time"`
	Updated  string            `json:"updated_time"`
	Current  int64             `json:"current_version"` // 0 before the first
	Oldest   int64             `json:"oldest_version"`  // 0 while none had to go
	Versions map[int64]version `json:"versions"`
}

// version is a version of a record. Its data are gone once it is destroyed.
type version struct {
	stamp
	Data json.RawMessage `json:"data,omitempty"`
}

// stamp is the engine's metadata of a version, with times as it writes them.
type stamp struct {
	Created   string `json:"created_time"`
	Deleted   string `json:"deletion_time"` // "" if it is not
	Destroyed bool   `json:"destroyed"`
}

// formatNow is the time as the engine writes it.
func formatNow() string { return time.Now().UTC().Format(time.RFC3339Nano) }

// newRecord is a record before its first version.
func newRecord(at string) *record {
	return &record{Created: at, Updated: at, Versions: map[int64]version{}}
}

// clone returns a record that may be changed.
func (r *record) clone() *record {
	c := *r
	c.Versions = maps.Clone(r.Versions)
	return &c
}

// add adds a version, and drops those that are too many.
func (r *record) add(at string, data json.RawMessage) {
	r.Current++
	r.Updated = at
	r.Versions[r.Current] = version{stamp{Created: at}, data}
	if r.Current-r.Oldest >= keptVersions {
		r.Oldest = r.Current - keptVersions + 1
		maps.DeleteFunc(r.Versions, func(n int64, _ version) bool { return n < r.Oldest })
	}
}

// change applies a change to the numbered versions that are there and have data.
func (r *record) change(numbers []int64, f func(*version)) {
	for _, n := range numbers {
		if v, there := r.Versions[n]; there && !v.Destroyed {
			f(&v)
			r.Versions[n] = v
		}
	}
}

func removeVersion(v *version) {
	if v.Deleted == "" {
		v.Deleted = formatNow()
	}
}

func restoreVersion(v *version) { v.Deleted = "" }

func destroyVersion(v *version) { v.Destroyed, v.Data = true, nil }

// versionDocument describes a version in answers to reads and writes.
type versionDocument struct {
	stamp
	settings
	Number int64 `json:"version"`
}

// settings are those of a record that an administrator can change in Vault, but not here.
type settings struct {
	Custom *string `json:"custom_metadata"`
}

func (r *record) describe(n int64) versionDocument {
	return versionDocument{stamp: r.Versions[n].stamp, Number: n}
}

// metadataDocument is the metadata of a record.
type metadataDocument struct {
	*record
	settings
	MaxVersions int64           `json:"max_versions"`
	CASRequired bool            `json:"cas_required"`
	Lifetime    string          `json:"delete_version_after"`
	Versions    map[int64]stamp `json:"versions"` // in place of those with data
}

func (r *record) metadata() metadataDocument {
	d := metadataDocument{record: r, Lifetime: "0s", Versions: map[int64]stamp{}}
	for n, v := range r.Versions {
		d.Versions[n] = v.stamp
	}
	return d
}

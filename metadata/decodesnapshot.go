package metadata

// snapshotMembers are the members of a snapshot in the order in which they are written (rules 14.1). Only
// two are required of every snapshot: a table of version 4 may list snapshots of version 1 (rules 14.2).
var snapshotMembers = members{
	{"snapshot-id", required},
	{"parent-snapshot-id", optional},
	{"sequence-number", optional},
	{"timestamp-ms", required},
	{"root-manifest", optional},
	{"manifest-list", optional},
	{"manifests", optional},
	{"summary", optional},
	{"schema-id", optional},
	{"first-row-id", optional},
	{"added-rows", optional},
	{"key-id", optional},
}

func (d *decoder) snapshot() Snapshot {
	var s Snapshot
	_, s.Unknown = d.object(snapshotMembers, func(name string) {
		switch name {
		case "snapshot-id":
			s.ID = d.int64()
		case "parent-snapshot-id":
			s.ParentID = snapshotIDOrNone(d.int64())
		case "sequence-number":
			s.SequenceNumber = d.int64()
		case "timestamp-ms":
			s.TimestampMillis = d.int64()
		case "root-manifest":
			s.RootManifest = some(d.str())
		case "manifest-list":
			s.ManifestList = some(d.str())
		case "manifests":
			s.Manifests = []string{}
			d.array(func() { s.Manifests = append(s.Manifests, d.str()) })
		case "summary":
			s.Summary = d.strings()
		case "schema-id":
			s.SchemaID = some(d.int32())
		case "first-row-id":
			s.FirstRowID = some(d.int64())
		case "added-rows":
			s.AddedRows = some(d.int64())
		case "key-id":
			s.KeyID = some(d.str())
		}
	})
	return s
}

var refMembers = members{
	{"snapshot-id", required},
	{"type", required},
	{"min-snapshots-to-keep", optional},
	{"max-snapshot-age-ms", optional},
	{"max-ref-age-ms", optional},
}

func (d *decoder) ref(name string) Ref {
	r := Ref{Name: name}
	_, r.Unknown = d.object(refMembers, func(name string) {
		switch name {
		case "snapshot-id":
			r.SnapshotID = d.int64()
		case "type":
			r.Type = d.str()
		case "min-snapshots-to-keep":
			r.MinSnapshotsToKeep = some(d.int32())
		case "max-snapshot-age-ms":
			r.MaxSnapshotAgeMillis = some(d.int64())
		case "max-ref-age-ms":
			r.MaxAgeMillis = some(d.int64())
		}
	})
	return r
}

var snapshotLogMembers = members{{"timestamp-ms", required}, {"snapshot-id", required}}

func (d *decoder) snapshotLogEntry() SnapshotLogEntry {
	var e SnapshotLogEntry
	_, e.Unknown = d.object(snapshotLogMembers, func(name string) {
		if name == "snapshot-id" {
			e.SnapshotID = d.int64()
		} else {
			e.TimestampMillis = d.int64()
		}
	})
	return e
}

var metadataLogMembers = members{{"timestamp-ms", required}, {"metadata-file", required}}

func (d *decoder) metadataLogEntry() MetadataLogEntry {
	var e MetadataLogEntry
	_, e.Unknown = d.object(metadataLogMembers, func(name string) {
		if name == "metadata-file" {
			e.File = d.str()
		} else {
			e.TimestampMillis = d.int64()
		}
	})
	return e
}

var sortOrderMembers = members{{"order-id", required}}

// sortOrder reads a sort order for its id and keeps its text.
func (d *decoder) sortOrder() SortOrder {
	var o SortOrder
	mark := d.mark()
	d.object(sortOrderMembers, func(string) { o.ID = d.int32() })
	o.JSON = d.textSince(mark)
	return o
}

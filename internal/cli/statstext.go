package cli

import "strconv"

// healthColumn is one figure of firn stats.
type healthColumn struct {
	name string
	cell func(h health) cell
}

// healthColumns are the figures of firn stats, which print as one line for scripts.
var healthColumns = []healthColumn{
	{"snapshot_id", func(h health) cell { return ofSnapshot(h, h.snapshot.ID) }},
	{"sequence_number", func(h health) cell { return ofSnapshot(h, h.snapshot.SequenceNumber) }},
	{"live_files", func(h health) cell { return numberCell(h.liveFiles()) }},
	{"records", func(h health) cell { return numberCell(h.records) }},
	{"data_bytes", func(h health) cell { return numberCell(h.dataBytes) }},
	{"root_bytes", func(h health) cell { return numberCell(h.rootBytes) }},
	{"root_rows", func(h health) cell { return numberCell(int64(h.rootRows)) }},
	{"loose_files", func(h health) cell { return numberCell(h.loose) }},
	{"tombstones", func(h health) cell { return numberCell(int64(h.tombstones)) }},
	{"leaves", func(h health) cell { return numberCell(int64(h.leaves)) }},
	{"legacy_manifests", func(h health) cell { return numberCell(int64(h.legacy)) }},
	{"leaf_bytes", func(h health) cell { return numberCell(h.leafBytes) }},
	{"leaf_rows", func(h health) cell { return numberCell(h.leafRows) }},
	{"masked_rows", func(h health) cell { return numberCell(h.leafRows - h.liveInLeaves) }},
	{"loose_share", func(h health) cell { return shareCell(h.looseShare()) }},
	{"masked_share", func(h health) cell { return shareCell(h.maskedShare()) }},
	{"dead_bytes", func(h health) cell { return numberCell(h.deadBytes) }},
	{"deletion_vectors", func(h health) cell { return numberCell(h.vectors) }},
	{"deleted_rows", func(h health) cell { return numberCell(h.deletedRows) }},
	{"puffin_files", func(h health) cell { return numberCell(int64(h.puffins)) }},
}

// ofSnapshot prints a number of the snapshot, null if the table has none.
func ofSnapshot(h health, n int64) cell {
	if h.snapshot.ID == 0 {
		return nullCell
	}
	return numberCell(n)
}

func shareCell(f float64) cell {
	digits := strconv.FormatFloat(f, 'f', 4, 64)
	return cell{text: digits, json: digits}
}

// printHealth prints the figures: one below the other for people, with the growth in a table of its own.
func (a *app) printHealth(h health) error {
	if a.format == formatText {
		return a.printHealthText(h)
	}
	var names []string
	var cells []cell
	for _, column := range healthColumns {
		names = append(names, column.name)
		cells = append(cells, column.cell(h))
	}
	due := nullCell
	if h.dueKnown {
		due = listCell(h.due)
	}
	out := a.newTable(true, append(names, "growth", "due")...)
	out.row(append(cells, growthCell(h.growth), due)...)
	return out.end()
}

func (a *app) printHealthText(h health) error {
	out := a.newTable(false, "name", "value")
	for _, column := range healthColumns {
		out.row(textCell(column.name), column.cell(h))
	}
	for _, text := range h.due {
		out.row(textCell("due"), textCell(text))
	}
	if h.dueKnown && len(h.due) == 0 {
		out.row(textCell("due"), textCell("nothing"))
	}
	if err := out.end(); err != nil || len(h.growth) == 0 {
		return err
	}
	a.out.WriteByte('\n')
	growth := a.newTable(true, "snapshot_id", "seq", "operation", "root_bytes", "files", "records")
	for _, g := range h.growth {
		growth.row(numberCell(g.snapshot.ID), numberCell(g.snapshot.SequenceNumber), nonEmpty(g.snapshot.Operation()),
			optionalCell(g.rootBytes), summaryCell(g, totalFiles), summaryCell(g, totalRecords))
	}
	return growth.end()
}

// The totals of a snapshot's summary.
const (
	totalFiles   = "total-data-files"
	totalRecords = "total-records"
)

// summaryCell prints a number of a summary; null if it has none.
func summaryCell(g grown, key string) cell {
	n, err := strconv.ParseInt(g.snapshot.Summary[key], 10, 64)
	if err != nil {
		return nullCell
	}
	return numberCell(n)
}

// growthCell prints the growth as a JSON list of objects, the newest snapshot first.
func growthCell(growth []grown) cell {
	return jsonCell(jsonList(growth, func(dst []byte, g grown) []byte {
		o := object{dst: append(dst, '{')}
		o.number("snapshot_id", g.snapshot.ID)
		o.number("sequence_number", g.snapshot.SequenceNumber)
		o.text("operation", g.snapshot.Operation())
		for _, member := range []struct {
			name string
			cell cell
		}{
			{"root_bytes", optionalCell(g.rootBytes)},
			{"files", summaryCell(g, totalFiles)},
			{"records", summaryCell(g, totalRecords)},
		} {
			if member.cell.null {
				member.cell.json = "null"
			}
			o.raw(member.name, member.cell.json)
		}
		return append(o.dst, '}')
	}))
}

package dv

import (
	"errors"
	"fmt"
	"strings"
)

// Fault is a kind of contradiction within a deletion vector's blob, or between blob, entry and Puffin footer (B43). The
// zero Fault is none.
type Fault uint8

// The faults of a blob, which a reader finds, and those of the Puffin file around it, which only a checker looks for.
const (
	// FaultRange is a blob that does not lie within its file.
	FaultRange Fault = iota + 1
	// FaultSize is a blob whose own length does not agree with the number of its bytes.
	FaultSize
	// FaultMagic is a blob without the magic number.
	FaultMagic
	// FaultChecksum is a blob whose bytes do not have the stored checksum.
	FaultChecksum
	// FaultBitmap is a blob whose bitmap is malformed, or can be read in two ways.
	FaultBitmap
	// FaultTrailing is a blob with bytes after the bitmap.
	FaultTrailing
	// FaultReserved is a blob with a position above [MaxPosition].
	FaultReserved
	// FaultCardinality is an entry that counts other deleted rows than the blob has.
	FaultCardinality
	// FaultBeyondRows is a blob that deletes a row which the file does not have.
	FaultBeyondRows
	// FaultEmpty is a vector without positions; an entry should have a null instead.
	FaultEmpty

	// FaultNotPuffin is a file that does not begin and end as Puffin files do.
	FaultNotPuffin
	// FaultFooter is a Puffin file whose footer is malformed.
	FaultFooter
	// FaultFooterCompressed is a Puffin file whose footer is compressed, which the format allows and this version
	// cannot read (DV5).
	FaultFooterCompressed
	// FaultUnlisted is a footer that lists no blob at the entry's offset.
	FaultUnlisted
	// FaultOffset is a footer that places the data file's blob at another offset.
	FaultOffset
	// FaultLength is a footer that gives the blob another length than the entry does.
	FaultLength
	// FaultType is a footer that gives the blob another type.
	FaultType
	// FaultCompressed is a footer that says that the blob is compressed.
	FaultCompressed
	// FaultReference is a footer that assigns the blob to another data file.
	FaultReference
	// FaultFooterCardinality is a footer that counts other deleted rows than the entry does.
	FaultFooterCardinality
	// FaultFooterSnapshot is a footer that gives the blob a snapshot id or a sequence number.
	FaultFooterSnapshot
	// FaultPropertyMissing is a footer without a property that the blob must have.
	FaultPropertyMissing
)

var faultNames = [...]string{"none", "range", "size", "magic", "checksum", "bitmap", "trailing", "reserved",
	"cardinality", "beyond-rows", "empty", "not-puffin", "footer", "footer-compressed", "unlisted", "offset", "length",
	"type", "compressed", "reference", "footer-cardinality", "footer-snapshot", "property-missing"}

// String returns the fault's name, such as "checksum".
func (f Fault) String() string {
	if int(f) < len(faultNames) {
		return faultNames[f]
	}
	return fmt.Sprintf("fault %d", uint8(f))
}

// Warning reports whether the fault leaves no doubt which rows are deleted from which file, so that it is worth a
// warning and no more (B43).
func (f Fault) Warning() bool { return f == FaultPropertyMissing }

// FaultError is one fault of one deletion vector, or of a Puffin file.
type FaultError struct {
	Fault Fault
	// Location is the full location of the Puffin file, empty where only bytes were given.
	Location string
	// OffsetBytes is where the entry, or the footer, places the blob in the file; 0 for a fault of the whole file.
	OffsetBytes int64
	// Detail says what was found and what should be there.
	Detail string
}

// Error names the file, the place and the fault.
func (e *FaultError) Error() string {
	var b strings.Builder
	b.WriteString("deletion vector")
	if e.Location != "" {
		fmt.Fprintf(&b, " %s@%d", e.Location, e.OffsetBytes)
	}
	fmt.Fprintf(&b, ": %s: %s", e.Fault, e.Detail)
	return b.String()
}

func faulty(f Fault, format string, args ...any) error {
	return &FaultError{Fault: f, Detail: fmt.Sprintf(format, args...)}
}

// place adds the place to a fault; other errors are named with it.
func place(err error, location string, offsetBytes int64) error {
	if err == nil {
		return nil
	}
	var fault *FaultError
	if errors.As(err, &fault) {
		return &FaultError{Fault: fault.Fault, Location: location, OffsetBytes: offsetBytes, Detail: fault.Detail}
	}
	return fmt.Errorf("deletion vector %s@%d: %w", location, offsetBytes, err)
}

package dv

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/firn-io/firn/tree"
)

// What a Puffin file of deletion vectors consists of.
const (
	puffinMagic = "PFA1"
	blobType    = "deletion-vector-v1"
	// rowPositionField is the id of the metadata column of row positions, which writers give as the field that a
	// vector was computed for.
	rowPositionField = 2147483645
	// unassigned stands for snapshot id and sequence number, which are not known when the file is written.
	unassigned = -1

	propertyDataFile    = "referenced-data-file"
	propertyCardinality = "cardinality"
	propertyCreatedBy   = "created-by"
)

// Named is the deletion vector of one data file.
type Named struct {
	// DataFile is the full location of the data file, as the table resolves it (DV6).
	DataFile string
	Vector   Vector
}

// BuildOptions are the choices of [Build].
type BuildOptions struct {
	// CreatedBy names the writer in the file; "firn" if empty.
	CreatedBy string
}

// Puffin is a Puffin file of deletion vectors that has not been stored yet.
type Puffin struct {
	// Data are the bytes of the file; they do not depend on its location.
	Data []byte
	// Vectors place the blobs, in the order in which the vectors were given. Their location is full.
	Vectors []tree.DeletionVector
}

// Build writes the vectors as blobs of one Puffin file, in the given order, for an object of that full location. The same
// vectors give the same bytes. It refuses a file without vectors, an empty vector (whose entry has a null instead), two
// vectors for one data file (rules 10.1), and a data file without a full location (DV6).
func Build(location string, vectors []Named, o BuildOptions) (Puffin, error) {
	if err := checkNamed(vectors); err != nil {
		return Puffin{}, fmt.Errorf("puffin file %s: %w", location, err)
	}
	data := []byte(puffinMagic)
	var footer footerOut
	refs := make([]tree.DeletionVector, 0, len(vectors))
	for _, v := range vectors {
		start := len(data)
		var err error
		if data, err = AppendBlob(data, v.Vector); err != nil {
			return Puffin{}, fmt.Errorf("puffin file %s: data file %s: %w", location, v.DataFile, err)
		}
		ref := tree.DeletionVector{
			Location: location, OffsetBytes: int64(start), SizeBytes: int64(len(data) - start),
			Cardinality: v.Vector.Cardinality(),
		}
		refs = append(refs, ref)
		footer.Blobs = append(footer.Blobs, newBlobOut(ref, v.DataFile))
	}
	footer.Properties.CreatedBy = o.CreatedBy
	if o.CreatedBy == "" {
		footer.Properties.CreatedBy = "firn"
	}
	data, err := appendFooter(data, footer)
	if err != nil {
		return Puffin{}, fmt.Errorf("puffin file %s: %w", location, err)
	}
	return Puffin{Data: data, Vectors: refs}, nil
}

func checkNamed(vectors []Named) error {
	if len(vectors) == 0 {
		return errors.New("no deletion vectors to write")
	}
	seen := make(map[string]bool, len(vectors))
	for _, v := range vectors {
		switch {
		case !tree.IsAbsolute(v.DataFile):
			return fmt.Errorf("data file %q has no full location", v.DataFile)
		case !utf8.ValidString(v.DataFile):
			return fmt.Errorf("data file %q: the location is not UTF-8", v.DataFile)
		case seen[v.DataFile]:
			return fmt.Errorf("data file %s has two deletion vectors", v.DataFile)
		case v.Vector.IsEmpty():
			return fmt.Errorf("data file %s: the deletion vector is empty", v.DataFile)
		}
		seen[v.DataFile] = true
	}
	return nil
}

// footerOut is the footer's payload in the order in which Apache's writer has it.
type footerOut struct {
	Blobs      []blobOut `json:"blobs"`
	Properties struct {
		CreatedBy string `json:"created-by"`
	} `json:"properties"`
}

type blobOut struct {
	Type           string `json:"type"`
	Fields         []int  `json:"fields"`
	SnapshotID     int64  `json:"snapshot-id"`
	SequenceNumber int64  `json:"sequence-number"`
	Offset         int64  `json:"offset"`
	Length         int64  `json:"length"`
	Properties     struct {
		DataFile    string `json:"referenced-data-file"`
		Cardinality string `json:"cardinality"`
	} `json:"properties"`
}

func newBlobOut(ref tree.DeletionVector, dataFile string) blobOut {
	b := blobOut{
		Type: blobType, Fields: []int{rowPositionField}, SnapshotID: unassigned, SequenceNumber: unassigned,
		Offset: ref.OffsetBytes, Length: ref.SizeBytes,
	}
	b.Properties.DataFile = dataFile
	b.Properties.Cardinality = strconv.FormatInt(ref.Cardinality, 10)
	return b
}

// appendFooter appends the footer: magic, payload, its length, flags of which none is set, magic.
func appendFooter(dst []byte, footer footerOut) ([]byte, error) {
	var payload bytes.Buffer
	encoder := json.NewEncoder(&payload)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(footer); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(payload.Bytes(), []byte("\n"))
	if len(text) > math.MaxInt32 {
		return nil, fmt.Errorf("a footer of %d bytes is longer than any reader takes", len(text))
	}
	dst = append(dst, puffinMagic...)
	dst = append(dst, text...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(text)))
	dst = binary.LittleEndian.AppendUint32(dst, 0)
	return append(dst, puffinMagic...), nil
}

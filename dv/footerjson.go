package dv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// parsePayload reads the JSON of a footer. Unknown members are passed over.
func parsePayload(payload []byte) (Footer, error) {
	if !utf8.Valid(payload) {
		return Footer{}, errors.New("the payload is not UTF-8")
	}
	p := payloadParser{json.NewDecoder(bytes.NewReader(payload))}
	p.UseNumber()
	var footer Footer
	err := p.object("the footer", func(name string) (err error) {
		switch name {
		case "blobs":
			footer.Blobs, err = p.blobs()
		case "properties":
			footer.Properties, err = p.properties()
		default:
			err = p.skip()
		}
		return err
	}, "blobs")
	if err == nil {
		if _, end := p.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("something follows the payload's object")
		}
	}
	return footer, err
}

// payloadParser reads the payload once, token by token, so that its memory does not exceed what it returns.
type payloadParser struct{ *json.Decoder }

// delim reads one bracket.
func (p payloadParser) delim(want json.Delim, what string) error {
	token, err := p.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%s does not begin with %s", what, want)
	}
	return err
}

// object reads an object; member is called at the value of each member and reads it. The required members must be there,
// and none may be there twice.
func (p payloadParser) object(what string, member func(name string) error, required ...string) error {
	if err := p.delim('{', what); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.More() {
		token, err := p.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if seen[name] {
			return fmt.Errorf("%s has %q twice", what, name)
		}
		seen[name] = true
		if err := member(name); err != nil {
			return err
		}
	}
	for _, name := range required {
		if !seen[name] {
			return fmt.Errorf("%s has no %q", what, name)
		}
	}
	_, err := p.Token()
	return err
}

// skip reads one value and forgets it.
func (p payloadParser) skip() error {
	var value json.RawMessage
	return p.Decode(&value)
}

func (p payloadParser) blobs() (blobs []Blob, err error) {
	if err := p.delim('[', "blobs"); err != nil {
		return nil, err
	}
	for p.More() {
		b, err := p.blob()
		if err != nil {
			return nil, fmt.Errorf("blob %d: %w", len(blobs), err)
		}
		blobs = append(blobs, b)
	}
	_, err = p.Token()
	return blobs, err
}

func (p payloadParser) blob() (b Blob, err error) {
	numbers := map[string]*int64{
		"snapshot-id": &b.SnapshotID, "sequence-number": &b.SequenceNumber,
		"offset": &b.OffsetBytes, "length": &b.LengthBytes,
	}
	err = p.object("it", func(name string) (err error) {
		switch {
		case numbers[name] != nil:
			*numbers[name], err = p.integer(name, 64)
		case name == "type":
			b.Type, err = p.text(name)
		case name == "compression-codec":
			b.CompressionCodec, err = p.codec()
		case name == "fields":
			b.Fields, err = p.fields()
		case name == "properties":
			b.Properties, err = p.properties()
		default:
			err = p.skip()
		}
		return err
	}, "type", "fields", "snapshot-id", "sequence-number", "offset", "length")
	return b, err
}

func (p payloadParser) text(name string) (string, error) {
	token, err := p.Token()
	text, ok := token.(string)
	if err == nil && !ok {
		err = fmt.Errorf("%s is no string", name)
	}
	return text, err
}

// codec reads the name of a codec; null is none.
func (p payloadParser) codec() (string, error) {
	token, err := p.Token()
	if err != nil || token == nil {
		return "", err
	}
	codec, ok := token.(string)
	if !ok {
		return "", errors.New("compression-codec is no string")
	}
	return codec, nil
}

func (p payloadParser) integer(name string, bits int) (int64, error) {
	token, err := p.Token()
	if err != nil {
		return 0, err
	}
	number, _ := token.(json.Number)
	n, err := strconv.ParseInt(number.String(), 10, bits)
	if err != nil {
		return 0, fmt.Errorf("%s is no integer of %d bits", name, bits)
	}
	return n, nil
}

func (p payloadParser) fields() (ids []int32, err error) {
	if err := p.delim('[', "fields"); err != nil {
		return nil, err
	}
	for p.More() {
		id, err := p.integer("a field id", 32)
		if err != nil {
			return nil, err
		}
		ids = append(ids, int32(id))
	}
	_, err = p.Token()
	return ids, err
}

func (p payloadParser) properties() (map[string]string, error) {
	properties := map[string]string{}
	err := p.object("properties", func(name string) (err error) {
		properties[name], err = p.text("property " + strconv.Quote(name))
		return err
	})
	return properties, err
}

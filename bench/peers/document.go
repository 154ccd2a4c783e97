package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// The lines between which a document holds the figures.
const (
	sectionBegin = "<!-- peers: written by make peers -->\n"
	sectionEnd   = "<!-- end of peers -->\n"
)

// writeSection writes a text into a document, in place of what stands between the two lines.
func writeSection(document, text string) error {
	old, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	updated, err := replaceSection(string(old), text)
	if err != nil {
		return fmt.Errorf("%s: %w", document, err)
	}
	return os.WriteFile(document, []byte(updated), 0o644)
}

func replaceSection(document, text string) (string, error) {
	head, rest, begins := strings.Cut(document, sectionBegin)
	_, tail, ends := strings.Cut(rest, sectionEnd)
	if !begins || !ends {
		return "", errors.New("no section for the figures of peers")
	}
	return head + sectionBegin + "\n" + text + "\n" + sectionEnd + tail, nil
}

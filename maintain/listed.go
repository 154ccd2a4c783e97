package maintain

import (
	"encoding/json"
	"fmt"

	"github.com/firn-io/firn/commit"
	"github.com/firn-io/firn/metadata"
	"github.com/firn-io/firn/tree"
)

// listed returns the objects that the metadata of a state itself names: metadata files and statistics (MN2).
func listed(head *commit.Head) ([]Object, error) {
	objects := []Object{{Kind: MetadataFile, Location: head.MetadataLocation}}
	for _, entry := range head.Metadata.MetadataLog {
		objects = append(objects, Object{Kind: MetadataFile, Location: tree.Resolve(head.Location, entry.File)})
	}
	statistics, err := statisticsFiles(head.Metadata, head.Location)
	return append(objects, statistics...), err
}

// statisticsMembers are the members of table metadata that list files of statistics.
var statisticsMembers = map[string]bool{"statistics": true, "partition-statistics": true}

// statisticsFiles returns the statistics files that metadata lists.
func statisticsFiles(m metadata.Table, location string) ([]Object, error) {
	var objects []Object
	for _, member := range m.Unknown {
		if !statisticsMembers[member.Name] {
			continue
		}
		var files []struct {
			Path      string `json:"statistics-path"`
			SizeBytes int64  `json:"file-size-in-bytes"`
		}
		if err := json.Unmarshal([]byte(member.JSON), &files); err != nil {
			return nil, fmt.Errorf("maintain: table metadata, %s: %w", member.Name, err)
		}
		for i, f := range files {
			if f.Path == "" {
				return nil, fmt.Errorf("maintain: table metadata, %s[%d]: statistics-path is missing", member.Name, i)
			}
			objects = append(objects, Object{Kind: StatisticsFile, Location: tree.Resolve(location, f.Path), SizeBytes: f.SizeBytes})
		}
	}
	return objects, nil
}

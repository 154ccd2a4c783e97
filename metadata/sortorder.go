package metadata

import (
	"encoding/json"
	"fmt"
)

// defaultSortSources returns the ids of the columns that the default sort order sorts by.
func (t Table) defaultSortSources() ([]int, error) {
	var sources []int
	for _, order := range t.SortOrders {
		if order.ID != t.DefaultSortOrderID {
			continue
		}
		var parts struct {
			Fields []struct {
				Source  *int  `json:"source-id"`
				Sources []int `json:"source-ids"`
			} `json:"fields"`
		}
		if err := json.Unmarshal([]byte(order.JSON), &parts); err != nil {
			return nil, fmt.Errorf("the default sort order %d cannot be read: %w", order.ID, err)
		}
		for _, field := range parts.Fields {
			if field.Source != nil {
				sources = append(sources, *field.Source)
			}
			sources = append(sources, field.Sources...)
		}
	}
	return sources, nil
}

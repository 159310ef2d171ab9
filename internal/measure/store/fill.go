package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// fillParams adds what runs of schema version 1 say in their results alone: the values of
// parameters that the specification left out, and the number of GPUs.
func fillParams(ctx context.Context, c *sql.Conn) error {
	rows, err := c.QueryContext(ctx, "SELECT r.id, r.device, a.data FROM runs r LEFT JOIN attachments a ON a.run = r.id AND a.kind = 'result' ORDER BY r.id")
	if err != nil {
		return err
	}
	defer rows.Close()
	type setting struct {
		run         int64
		name, value string
	}
	var list []setting
	for rows.Next() {
		var id int64
		var device string
		var data []byte
		if err := rows.Scan(&id, &device, &data); err != nil {
			return err
		}
		list = append(list, setting{id, "gpus", gpusOf(device)})
		if data == nil {
			continue
		}
		var result struct {
			Algorithm map[string]string `json:"algorithm_parameters"`
			Scheduler map[string]string `json:"scheduler_parameters"`
		}
		text, err := unpack(data)
		if err != nil || json.Unmarshal(text, &result) != nil {
			continue // the run stays, with the settings that it has
		}
		for _, params := range []map[string]string{result.Algorithm, result.Scheduler} {
			for name, value := range params {
				_, one := result.Algorithm[name]
				if _, other := result.Scheduler[name]; one != other { // else it is not clear whose it is
					list = append(list, setting{id, "param." + name, value})
				}
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	insert, err := c.PrepareContext(ctx, "INSERT OR IGNORE INTO settings VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, s := range list {
		if _, err := insert.ExecContext(ctx, s.run, s.name, s.value); err != nil {
			return err
		}
	}
	return nil
}

// inGroup matches the number of GPUs in the name of a simulated group.
var inGroup = regexp.MustCompile(`x([0-9]+)$`)

// gpusOf returns the number of GPUs of a device by its name: sim:h200x2, hw:0,1.
func gpusOf(device string) string {
	if strings.HasPrefix(device, "hw") {
		return fmt.Sprint(1 + strings.Count(device, ","))
	}
	if m := inGroup.FindStringSubmatch(device); m != nil {
		return m[1]
	}
	return "1"
}

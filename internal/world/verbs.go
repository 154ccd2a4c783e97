package world

import "context"

// verb is a command of the interpreter.
type verb struct {
	run func(*World, context.Context, command) (string, error)
	// options are those that it takes, as words; a star takes any.
	options string
}

// verbs are all commands by name.
var verbs = map[string]verb{
	"table": {(*World).table, "cap policy root-bytes leaf-bytes location partition"},
	"clock": {(*World).clock, ""},

	"begin":       {(*World).begin, "by cap policy root-bytes leaf-bytes duplicates mode branch isolation attempts"},
	"add":         {(*World).add, "*"},
	"remove":      {(*World).remove, "by at seq"},
	"replace":     {(*World).replace, "*"},
	"compact":     {(*World).compact, "*"},
	"setdv":       {(*World).setDV, "by at seq rows merge keep"},
	"extend":      {(*World).extendDV, "by at seq rows merge keep"},
	"refresh":     {(*World).refresh, "by at seq stats"},
	"deletewhere": {(*World).deleteWhere, "by"},
	"depend":      {(*World).depend, "by"},
	"restore":     {(*World).restore, "by"},
	"fold":        {(*World).fold, "by"},
	"merge":       {(*World).merge, "by with"},
	"commit":      {(*World).commit, "by until"},
	"hand":        {(*World).hand, ""},

	"schema": {(*World).schema, "by until"},
	"spec":   {(*World).spec, "by until"},
	"props":  {(*World).props, "*"},
	"branch": {(*World).branch, "by until at to"},
	"tag":    {(*World).tag, "by until at"},
	"expire": {(*World).expire, "by until keep"},

	"step":    {(*World).step, "by until"},
	"fault":   {(*World).fault, "by"},
	"crash":   {(*World).crash, "by"},
	"cancel":  {(*World).cancel, "by"},
	"outcome": {(*World).outcome, "by"},
	"land":    {(*World).land, ""},

	"rollback":      {(*World).rollback, ""},
	"trim-log":      {(*World).trimLog, ""},
	"drop-table":    {(*World).dropTable, ""},
	"replace-table": {(*World).replaceTable, "log"},
	"move-table":    {(*World).moveTable, ""},
	"version-table": {(*World).setVersion, ""},

	"tree":      {(*World).tree, "with at branch"},
	"leaf":      {(*World).leaf, "with at branch"},
	"live":      {(*World).live, "at branch"},
	"changes":   {(*World).changes, "at branch"},
	"log":       {(*World).log, ""},
	"refs":      {(*World).refs, ""},
	"plan":      {(*World).plan, ""},
	"cost":      {(*World).cost, ""},
	"writes":    {(*World).writes, "by"},
	"objects":   {(*World).listObjects, ""},
	"untouched": {(*World).untouched, ""},
	"check":     {(*World).check, "orphans"},
}

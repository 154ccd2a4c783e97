// Package planted holds the test behind `make planted`: how long the simulator takes to find a bug that somebody might really
// make. Each patch below testdata/planted is applied to a copy of the module, alone, and seeded runs of the simulator look
// for it; those in the folder rules switch off one rule by which a commit fits its change to another writer's.
package planted

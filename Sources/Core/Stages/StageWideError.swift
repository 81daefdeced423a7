/// An error that concerns a whole stage: it ends the work on all partitions, not only on the one that met it.
package protocol StageWideError: Error {}

import CAllocator

/// The policy for the memory of large bodies and answers.
package enum LargeBlocks {
    /// Makes freed blocks of 256 KiB and more return to the system, for the whole process. glibc keeps ever larger ones
    /// for itself otherwise: `scripts/memory-check` with 64 clients then takes 1,168 MiB instead of 560.
    package static func returnToSystem() { CAllocator_returnBlocksFrom(256 << 10) }
}

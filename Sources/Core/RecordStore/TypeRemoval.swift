package import CloudModel

/// The outcome of removing the types that no record has. Each list is in the order of names.
package struct TypeRemoval: Hashable, Sendable {
    /// Types that are gone.
    package var removed: [RecordType] = []
    /// Types that have lost their fields, and are there for tombstones alone.
    package var emptied: [RecordType] = []
    /// Types that records have.
    package var kept: [RecordType] = []

    package init() {}
}

package import CloudModel

/// A deleted record of the public database, with records of other creators that are still to be deleted with it.
package struct DueDeletions: Hashable, Sendable {
    /// The user and device that deleted it.
    package var origin: Origin
    /// Records that refer to it by DELETE_SELF and were last saved before it was deleted.
    package var referrers: [RecordName]

    package init(origin: Origin, referrers: [RecordName]) {
        self.origin = origin
        self.referrers = referrers
    }
}

package import CloudModel

/// The result of one operation or lookup.
package enum RecordResult: Hashable, Sendable {
    case record(Record)
    case deleted(RecordName)
    case failed(RecordName?, CloudError)

    /// A Boolean that tells whether the operation failed.
    package var isFailure: Bool { if case .failed = self { true } else { false } }
}

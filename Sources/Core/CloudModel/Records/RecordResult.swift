/// The result of one operation on a record, or of one lookup.
package enum RecordResult: Hashable, Sendable {
    case record(Record)
    case deleted(RecordName)
    case failed(RecordName?, CloudError)

    /// True if nothing came of it.
    package var isFailure: Bool { if case .failed = self { true } else { false } }
}

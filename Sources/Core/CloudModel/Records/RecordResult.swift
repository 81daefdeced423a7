/// What came of one operation or lookup.
package enum RecordResult: Hashable, Sendable {
    case record(Record)
    case deleted(RecordName)
    case failed(RecordName?, CloudError)

    /// Whether nothing came of it.
    package var isFailure: Bool { if case .failed = self { true } else { false } }
}

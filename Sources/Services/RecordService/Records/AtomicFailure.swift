import CloudModel

/// Undoes the whole request because one of its operations failed; carries what to answer for each.
struct AtomicFailure: Error {
    let results: [RecordResult]

    /// The error of operations that did not fail themselves.
    static let error = CloudError(
        .atomicError, "nothing was saved, as another operation of the atomic request failed")

    /// The failed operations keep their own errors, the others get `ATOMIC_ERROR` (docs/choices.md, 18).
    init(_ results: [RecordResult], names: [RecordName?]) {
        self.results = zip(results, names).map { result, name in
            if case .failed = result { return result }
            return .failed(name, Self.error)
        }
    }
}

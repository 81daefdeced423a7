import CloudModel
import Matching
import Waiting

extension RecordService {
    /// Cuts the long texts of a request into words, on threads for that: within a commit everybody would wait, and the
    /// words of a text of 900 KB take longer than all else that its commit does.
    /// - Returns: the words by the places of the operations; of shorter texts the commit cuts them.
    /// - Throws: `TRY_AGAIN_LATER` where too many of the user's requests wait for it.
    func cutTexts(
        of operations: [RecordOperation], for user: UserRecordName
    ) async throws -> [Int: [FieldName: RecordIndexing.CutTexts]] {
        let long = operations.map(\.longTexts)
        guard long.contains(where: { !$0.isEmpty }) else { return [:] }
        do {
            return try await cutting.run(for: user) { isCancelled in
                var cuts: [Int: [FieldName: RecordIndexing.CutTexts]] = [:]
                for (place, fields) in long.enumerated() where !fields.isEmpty {
                    if isCancelled() { throw CancellationError() }
                    cuts[place] = fields.mapValues { RecordIndexing.CutTexts($0) }
                }
                return cuts
            }
        } catch is WaitingRefusal {
            throw CloudError(
                .tryAgainLater, "other requests of yours with long texts are in work; send fewer at a time",
                retryAfterSeconds: 2)
        }
    }
}

extension RecordOperation {
    /// The texts of fields that have so many bytes that their words may be too many.
    fileprivate var longTexts: [FieldName: [String]] {
        guard !isDeletion else { return [:] }
        var found: [FieldName: [String]] = [:]
        for (name, value) in fields {
            let texts = value?.value.texts ?? []
            if texts.reduce(0, { $0 + $1.utf8.count }) > Limits.indexRowsMax { found[name] = texts }
        }
        return found
    }
}

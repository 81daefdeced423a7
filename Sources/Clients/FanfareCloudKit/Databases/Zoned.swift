/// Things in the order in which they came, apart by zone, at most so many together: a request is for one zone.
struct Zoned<Element> {
    private(set) var batches: [(zone: CKRecordZone.ID, elements: [Element])] = []

    /// Divides things by zone.
    /// - Parameter limit: the most in one request.
    init(_ elements: [Element], limit: Int, by zone: (Element) -> CKRecordZone.ID) {
        var places: [CKRecordZone.ID: Int] = [:]
        for element in elements {
            let id = zone(element)
            if let place = places[id], batches[place].elements.count < limit {
                batches[place].elements.append(element)
            } else {
                places[id] = batches.count
                batches.append((id, [element]))
            }
        }
    }

    /// Makes the request of each batch. An error of one zone is that of its items. An error of a request is that of
    /// its items if another request was answered, and is thrown if none was.
    /// - Parameters:
    ///   - request: reports the results of its elements.
    ///   - failed: reports an element without a result.
    /// - Throws: `CKError`; `operationCancelled` also after answered requests.
    func each(
        _ request: (CKRecordZone.ID, [Element]) async throws -> Void, failed: (Element, CKError) async -> Void
    ) async throws {
        var parts = Parts()
        var unanswered: [(elements: [Element], error: CKError)] = []
        for (zone, elements) in batches {
            do {
                try Task.checkCancellation()
                try await request(zone, elements)
                parts.isAnswered = true
            } catch {
                let error = try parts.judge(error, isOfPart: \.isOfZone)
                if error.isOfZone {
                    for element in elements { await failed(element, error) }
                } else {
                    unanswered.append((elements, error))
                }
            }
        }
        try parts.end()
        for (elements, error) in unanswered { for element in elements { await failed(element, error) } }
    }
}

/// The rule for a call of several requests: the whole fails only if no part was answered.
struct Parts {
    /// True if a part was answered, if only by an error of its own.
    var isAnswered = false
    private var first: CKError?

    /// Notes that the request of a part failed.
    /// - Returns: the error, which is the part's if the whole does not fail at the end.
    /// - Throws: `operationCancelled`, as nobody waits for the parts that are left.
    mutating func judge(
        _ error: any Error, isOfPart: (CKError) -> Bool = \.isOfItem
    ) throws(CKError) -> CKError {
        let error = CKError(error)
        guard error.code != .operationCancelled else { throw error }
        if isOfPart(error) { isAnswered = true } else if first == nil { first = error }
        return error
    }

    /// - Throws: the first error, if no part was answered.
    func end() throws(CKError) { if !isAnswered, let first { throw first } }
}

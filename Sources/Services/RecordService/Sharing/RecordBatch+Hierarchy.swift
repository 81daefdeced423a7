import CloudModel

extension RecordBatch {
    /// Applies the operations of a request in order, except that a share which a record of the same request names as its
    /// own comes after that record.
    /// - Returns: what came of each, in the order of the operations.
    func apply(all operations: [RecordOperation]) throws -> [RecordResult] {
        let roots = Self.roots(operations)
        guard !roots.isEmpty else { return try operations.map { try apply($0) } }
        var results: [Int: RecordResult] = [:]
        for (index, operation) in operations.enumerated() where roots[index] == nil {
            results[index] = try apply(operation)
        }
        for (index, root) in roots.sorted(by: { $0.key < $1.key }) {
            var operation = operations[index]
            operation.share?.root = operations[root].recordName
            results[index] = try apply(operation)
            // The share is noted in the record at its top, which has another change tag by then.
            if case .record(let record)? = results[root], let changed = try stored(record.name) {
                results[root] = .record(changed)
            }
        }
        return operations.indices.compactMap { results[$0] }
    }

    /// The places of shares that do not say what they share, with the places of the records that name them.
    private static func roots(_ operations: [RecordOperation]) -> [Int: Int] {
        var roots: [Int: Int] = [:]
        for (place, operation) in operations.enumerated() {
            guard let name = operation.shareName, operation.recordName != nil else { continue }
            let share = operations.firstIndex { $0.recordName == name && $0.share != nil && $0.share?.root == nil }
            if let share, name != .zoneShare { roots[share] = place }
        }
        return roots
    }
}

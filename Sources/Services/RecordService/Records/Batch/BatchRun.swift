import CloudModel

/// The operations of one request on their way through one commit or several: those that are done, the one under way,
/// and what the request may still move. A value, so that a commit that is undone changes nothing.
struct BatchRun: Sendable {
    /// The records that go with the one that an operation deletes.
    struct Cascade: Sendable {
        /// The names of all of them, and of the record itself.
        let doomed: Set<RecordName>
        /// Those that are left, the next one last.
        var rest: [RecordName]
    }

    private(set) var operations: [RecordOperation]
    private var isSettled = false
    /// The places of shares that do not say what they share, with the places of the records that name them.
    let roots: [Int: Int]
    /// The places of the operations that are to be done, the next one last.
    private var rest: [Int]
    private var results: [Int: RecordResult] = [:]
    var room: BatchRoom
    /// The deletion under way, where it takes several commits.
    var cascade: Cascade?

    /// - Parameter room: what the request may move.
    init(_ operations: [RecordOperation], room: BatchRoom = BatchRoom()) {
        self.operations = operations
        self.room = room
        roots = Self.roots(operations)
        // A share that a record of the request names as its own comes after that record.
        let roots = roots
        rest = (operations.indices.filter { roots[$0] == nil } + roots.keys.sorted()).reversed()
    }

    /// The place of the next operation; nil when all are done.
    var next: Int? { rest.last }

    /// The records that the operations left name.
    var names: [RecordName] { rest.reversed().compactMap { operations[$0].recordName } }

    /// The results, in the order of the operations; all are done.
    var all: [RecordResult] { operations.indices.compactMap { results[$0] } }

    subscript(place: Int) -> RecordResult? { results[place] }

    /// Makes references within the zone those of the zone (`RecordOperation.settled`), once.
    mutating func settle(in zone: ZoneID) {
        guard !isSettled else { return }
        operations = operations.map { $0.settled(in: zone) }
        isSettled = true
    }

    /// Notes the result of the next operation.
    mutating func finish(_ result: RecordResult) {
        results[rest.removeLast()] = result
        cascade = nil
    }

    /// Changes the result of an operation that is done.
    mutating func amend(_ place: Int, _ result: RecordResult) { results[place] = result }

    /// Fails the operations that are left.
    mutating func fail(_ error: CloudError) {
        while let place = next { finish(.failed(operations[place].recordName, error)) }
    }

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

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
    /// True if the operations are done together or not at all.
    let isTogether: Bool
    /// The places of the operations that are to be done, the next one last.
    private var rest: [Int]
    private var order: BatchOrder?
    /// The places of operations that were in a circle of which one failed.
    private var broken: Set<Int> = []
    private var places: [RecordName: Int] = [:]
    private var results: [Int: RecordResult] = [:]
    var room: BatchRoom
    /// The words of long texts, by the places of their operations.
    let cuts: [Int: [FieldName: RecordIndexing.CutTexts]]
    /// The deletion under way, where it takes several commits.
    var cascade: Cascade?

    /// - Parameters:
    ///   - room: what the request may move.
    ///   - isTogether: true if the operations are done together or not at all.
    ///   - cuts: words of long texts that are known.
    init(
        _ operations: [RecordOperation], room: BatchRoom = BatchRoom(), isTogether: Bool = false,
        cuts: [Int: [FieldName: RecordIndexing.CutTexts]] = [:]
    ) {
        self.operations = operations
        self.cuts = cuts
        self.room = room
        self.isTogether = isTogether
        roots = Self.roots(operations)
        rest = operations.indices.reversed()
    }

    /// The place of the next operation; nil when all are done.
    var next: Int? { rest.last }

    /// The records that the operations left name.
    var names: [RecordName] { rest.reversed().compactMap { operations[$0].recordName } }

    /// The results, in the order of the operations; all are done.
    var all: [RecordResult] { operations.indices.compactMap { results[$0] } }

    subscript(place: Int) -> RecordResult? { results[place] }

    /// The place of the operation on a record; nil for none, and in a request of one operation.
    func place(of name: RecordName) -> Int? { places[name] }

    /// Makes references within the zone those of the zone (`RecordOperation.settled`), once.
    mutating func settle(in zone: ZoneID) {
        guard !isSettled else { return }
        operations = operations.map { $0.settled(in: zone) }
        isSettled = true
    }

    /// Brings the operations into an order in which each comes after those that it depends on, once.
    mutating func arrange(in zone: ZoneCommit) throws {
        guard order == nil, operations.count > 1 else { return }
        let order = try BatchNeeds(operations, roots: roots, zone).order()
        rest = order.places.reversed()
        self.order = order
        for (place, operation) in operations.enumerated() {
            if let name = operation.recordName { places[name] = place }
        }
    }

    /// The saves that are done together with one, as VALIDATE references lead from each to the others; empty for none.
    func circle(of place: Int) -> [Int] {
        guard !isTogether, let circle = order?.circles[place], broken.isDisjoint(with: circle) else { return [] }
        return circle
    }

    /// Lets the operations of a circle fail by themselves.
    mutating func breakCircle(_ places: [Int]) { broken.formUnion(places) }

    /// The effect of an operation that is still to be done on its record.
    enum Fate {
        /// It is saved if the operation under way is.
        case saved
        case deleted
    }

    /// The effect of the rest of the request on a record that an operation references; nil for none that is certain.
    func fate(of name: RecordName, for place: Int) -> Fate? {
        guard let other = places[name], other != place, results[other] == nil else { return nil }
        guard !operations[other].isDeletion else { return .deleted }
        return isTogether || circle(of: place).contains(other) ? .saved : nil
    }

    /// Notes the result of the next operation.
    mutating func finish(_ result: RecordResult) {
        var result = result
        if isTogether, case .failed(let name, let error) = result, error.code == .validatingReferenceError,
            order?.needs(of: rest.last!).contains(where: { results[$0]?.isFailure == true }) == true
        {
            // It fails because of the other one.
            result = .failed(name, AtomicFailure.error)
        }
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

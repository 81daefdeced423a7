import CloudModel
import RecordStore

/// Finds out which operations of a request depend on which, by what they say and by the links of stored records.
struct BatchNeeds {
    private let zone: ZoneCommit
    private let operations: [RecordOperation]
    /// The places of the operations on records.
    private let places: [RecordName: Int]
    /// Records of the request by the parent that they have in the store.
    private var children: [RecordName: [Int]] = [:]
    /// New shares come last, as what they share is judged on all else.
    private var newShares: Set<Int>
    /// Deletions of records that are shares or have one, each with the records above it.
    private var endedShares: [(place: Int, line: [RecordName], isShare: Bool)] = []

    /// - Parameter roots: the places of shares that records of the request name, with the places of those.
    init(_ operations: [RecordOperation], roots: [Int: Int], _ zone: ZoneCommit) throws {
        self.zone = zone
        self.operations = operations
        newShares = Set(roots.keys)
        var places: [RecordName: Int] = [:]
        for (place, operation) in operations.enumerated() {
            guard let name = operation.recordName else { continue }
            places[name] = place
            let link = try zone.records.link(of: name)
            if case .below(let parent) = link { children[parent, default: []].append(place) }
            if operation.recordType == .share, !operation.isDeletion, link == .missing { newShares.insert(place) }
        }
        self.places = places
        endedShares = try sharesThatEnd()
    }

    /// The order of the operations.
    func order() throws -> BatchOrder {
        BatchOrder(try operations.indices.map(needs), isSave: operations.map { !$0.isDeletion })
    }

    private func needs(of place: Int) throws -> BatchOrder.Needs {
        let operation = operations[place]
        var needs = BatchOrder.Needs()
        if operation.isDeletion {
            needs.hierarchy = try operation.recordName.map(needsOfDeletion) ?? []
        } else if newShares.contains(place) {
            needs.hierarchy = Set(operations.indices).subtracting(newShares)
        } else {
            for reference in operation.fields.values.flatMap({ $0?.value.references ?? [] })
            where reference.action == .validate {
                if let other = places[reference.recordName] { needs.validated.insert(other) }
            }
            needs.hierarchy = try needsOfMove(operation)
        }
        needs.hierarchy.remove(place)
        needs.validated.remove(place)
        return needs
    }

    /// The operations on records below one that is deleted, or below those that go with it by DELETE_SELF.
    private func needsOfDeletion(_ name: RecordName) throws -> Set<Int> {
        var found = Set(children[name] ?? [])
        guard !children.isEmpty, try zone.transaction.hasCascadingReferrers(zone.setting.id(name)) else { return found }
        let isPublic = zone.setting.database == .public
        let creator = isPublic ? try zone.transaction.typeAndCreator(of: zone.setting.id(name))?.creator : nil
        var doomed: Set<RecordName> = [name]
        var next = [name]
        while let target = next.popLast(), doomed.count <= Limits.cascadedDeletionsMax {
            let id = zone.setting.id(target)
            let referrers =
                try creator.map { try zone.transaction.cascadingReferrers(of: id, createdBy: $0) }
                ?? (isPublic ? [] : zone.transaction.cascadingReferrers(of: id))
            for referrer in referrers where doomed.insert(referrer).inserted {
                found.formUnion(children[referrer] ?? [])
                next.append(referrer)
            }
        }
        return found
    }

    /// The operations on which a record's new parent depends: one on the first record of the request above it, and
    /// deletions of shares that would be above or below it.
    private func needsOfMove(_ operation: RecordOperation) throws -> Set<Int> {
        guard case .some(let parent?) = operation.parent, let name = operation.recordName else {
            // A new record without a name has nothing below it.
            if case .some(let parent?) = operation.parent { return try firstAbove(parent) }
            return []
        }
        guard try zone.records.link(of: name) != .below(parent) else { return [] }
        let ended = endedShares.filter { $0.isShare || $0.line.contains(name) }.map(\.place)
        return try firstAbove(parent).union(ended)
    }

    private func firstAbove(_ parent: RecordName) throws -> Set<Int> {
        var above = parent
        for _ in 0..<Limits.parentDepthMax {
            if let place = places[above] { return [place] }
            guard case .below(let next) = try zone.records.link(of: above) else { break }
            above = next
        }
        return []
    }

    private func sharesThatEnd() throws -> [(place: Int, line: [RecordName], isShare: Bool)] {
        guard operations.contains(where: \.isDeletion), try zone.shares.exist() else { return [] }
        var found: [(place: Int, line: [RecordName], isShare: Bool)] = []
        for (place, operation) in operations.enumerated() where operation.isDeletion {
            guard let name = operation.recordName else { continue }
            if try zone.transaction.share(name, in: zone.setting.zone) != nil {
                found.append((place, [], true))
            } else if try !zone.shares.of([name]).isEmpty {
                found.append((place, try zone.records.line(from: name)?.names ?? [], false))
            }
        }
        return found
    }
}

extension RecordOperation {
    /// True if it deletes its record.
    var isDeletion: Bool { kind == .delete || kind == .forceDelete }
}

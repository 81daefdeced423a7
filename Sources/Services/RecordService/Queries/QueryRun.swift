import CloudMessages
import CloudModel
import Matching
import ProtocolBuffers
import RecordStore

/// Finds one page of a query's results.
///
/// Indexes find candidates; the plain evaluator decides on each. Either an index finds a few candidates, which are
/// sorted here, or records are walked in the order of the results until the page is full.
final class QueryRun {
    /// A page, and where the next one begins.
    struct Page {
        var records: [Record] = []
        var next: QueryPosition?
    }

    /// The largest cost of a page; tests make it less.
    struct Bounds: Sendable {
        /// Candidates that are rather sorted here than met on a walk in the order of the results.
        var fewMax = 10_000
        /// Records that are looked at on a walk.
        var scannedMax = Limits.queryRecordsScannedMax
        /// Bytes of those.
        var bytesMax = Limits.queryBytesScannedMax
        /// Bytes of those, times what the predicate costs.
        var workMax = Limits.queryWorkMax
        /// Bytes of the records that are sorted in memory.
        var sortedBytesMax = Limits.queryBytesSortedMax

        /// The bounds of a caller.
        static func of(_ caller: Caller) -> Bounds {
            var bounds = Bounds()
            guard caller.user == nil else { return bounds }
            bounds.bytesMax /= Limits.queryPartWithoutUser
            bounds.workMax /= Limits.queryPartWithoutUser
            bounds.sortedBytesMax /= Limits.queryPartWithoutUser
            return bounds
        }
    }

    private let reader: any StoreReader
    private let query: CheckedQuery
    private let planner: IndexPlanner
    private let bounds: Bounds
    private let searchable: Set<FieldName>
    private let isVisible: (Record) throws -> Bool
    private let cutter: ValueCutter?
    private let hasToEnd: () -> Bool
    private let cost: Int
    private var order: QueryOrder { query.order }
    private var page = Page()
    private var pageBytes = 0
    private var spent = Spent()

    /// The amounts that were looked at so far.
    private struct Spent {
        var records = 0
        var bytes = 0
        var work = 0
    }

    /// - Parameters:
    ///   - cutter: cuts the records of the page, whose bytes count as cut.
    ///   - hasToEnd: returns true if no caller waits for the page any more.
    init(
        _ reader: any StoreReader, _ query: CheckedQuery, _ indexes: TypeIndexes, bounds: Bounds = Bounds(),
        cutter: ValueCutter? = nil, hasToEnd: @escaping () -> Bool = { false },
        isVisible: @escaping (Record) throws -> Bool = { _ in true }
    ) {
        self.cutter = cutter
        self.isVisible = isVisible
        self.hasToEnd = hasToEnd
        cost = max(1, query.predicate.cost)
        self.reader = reader
        self.bounds = bounds
        self.query = query
        planner = IndexPlanner(indexes: indexes, capabilities: reader.capabilities)
        searchable = Set(indexes.fields.filter { $0.value.indexes.contains(.searchable) }.keys)
    }

    /// The page after a place.
    func page(after start: QueryPosition?) throws -> Page {
        let best = try bestCondition()
        let walksByNumber = order.sorts.isEmpty
        if let best, best.isFew || (walksByNumber && best.isStreamable) {
            if walksByNumber {
                try walk(scan(.number(isAscending: true), best.condition, after: start?.number))
            } else {
                try sortOrWalk(scan(.number(isAscending: true), best.condition), after: start)
            }
        } else if walksByNumber {
            try walk(scan(.number(isAscending: true), after: start?.number))
        } else if order.sorts[0].relativeLocation != nil {
            try sortOrWalk(scan(.number(isAscending: true), best?.condition), after: start)
        } else {
            try walkInOrder(after: start)
        }
        return page
    }

    /// Sorts what a scan finds; where that is too much work, and an index has the order, the page is short instead.
    private func sortOrWalk(_ scan: IndexScan, after start: QueryPosition?) throws {
        if try sort(scan, after: start) { return }
        guard order.sorts[0].relativeLocation == nil else {
            throw CloudError.exceeded(
                ExceededLimit("queryBytesScannedMax", bounds.bytesMax),
                "ordering by '\(order.sorts[0].field)' would have to look at more than \(bounds.bytesMax) bytes of records, or \(bounds.workMax / cost) with this predicate; add a filter that leaves fewer"
            )
        }
        spent = Spent()
        try walkInOrder(after: start)
    }

    // MARK: Budget

    /// Counts a record that is looked at.
    private func look(_ bytes: Int) throws {
        if hasToEnd() { throw CancellationError() }
        spent.records += 1
        spent.bytes += bytes
        let (work, isTooMuch) = bytes.multipliedReportingOverflow(by: cost)
        spent.work = isTooMuch ? .max : min(spent.work, .max - work) + work
    }

    /// Returns true if no more may be looked at.
    private var isSpent: Bool {
        spent.records >= bounds.scannedMax || spent.bytes >= bounds.bytesMax || spent.work >= bounds.workMax
    }

    // MARK: Choosing

    private struct Choice {
        var condition: IndexCondition
        var isFew: Bool
        /// True if the index has the records in the order of their numbers.
        var isStreamable: Bool
    }

    private func bestCondition() throws -> Choice? {
        let conditions = planner.conditions(for: query.predicate)
        func choice(_ condition: IndexCondition, isFew: Bool) -> Choice {
            Choice(condition: condition, isFew: isFew, isStreamable: condition.isSingleKey && query.zones.count == 1)
        }
        // Nothing to compare with: the walk finds out.
        if conditions.count == 1, order.sorts.isEmpty, conditions[0].isSingleKey, query.zones.count == 1 {
            return choice(conditions[0], isFew: false)
        }
        var best: (condition: IndexCondition, count: Int)?
        var streamable: IndexCondition?
        for condition in conditions {
            let limit = (best?.count ?? bounds.fewMax) + 1
            let count = try reader.count(condition, in: scan(.number(isAscending: true)), limit: limit)
            if count < limit, count <= bounds.fewMax { best = (condition, count) }
            if condition.isSingleKey { streamable = condition }
        }
        if let best { return choice(best.condition, isFew: true) }
        return (streamable ?? conditions.first).map { choice($0, isFew: false) }
    }

    private func scan(
        _ order: IndexScan.Order, _ condition: IndexCondition? = nil, from: IndexKey? = nil, after: Int64? = nil
    ) -> IndexScan {
        IndexScan(
            type: query.type, database: query.database, zones: query.zones, condition: condition, order: order,
            from: from, after: after)
    }

    // MARK: Walking in the order of the results

    /// Takes records as they come: the scan has the order of the results.
    private func walk(_ scan: IndexScan) throws {
        try reader.scan(scan) { found in
            let record = try decoded(found)
            return try take(record, order.position(of: record, number: found.number), found.record.body.count)
        }
    }

    private func isFound(_ record: Record) throws -> Bool {
        try query.predicate.holds(for: record, searchable: searchable) && isVisible(record)
    }

    /// Takes one record of a walk; false when the page has ended.
    private func take(_ record: Record, _ position: QueryPosition, _ bytes: Int) throws -> Bool {
        let isFull = page.records.count == query.limit || pageBytes >= Limits.queryPageBytesMax
        try look(bytes)
        if try isFound(record) {
            if isFull {
                page.next = last
                return false
            }
            var kept = bytes
            page.records.append(cutter.cut(record, &kept))
            pageBytes += kept
            last = position
        } else if !isFull {
            last = position
        }
        guard !isSpent else {
            page.next = last
            return false
        }
        return true
    }

    /// The end of the page so far.
    private var last: QueryPosition?

    /// Walks an index of the first field of the order, then those that lack the field.
    private func walkInOrder(after start: QueryPosition?) throws {
        let sort = order.sorts[0]
        let index: IndexID?
        switch sort.field {
        case .system(.recordName): index = nil
        case .system(let field): index = .system(field, type: planner.indexes.number)
        case .field(let name):
            guard let field = planner.indexes.fields[name] else { return }
            index = field.type == .string ? .order(field: field.number) : .equality(field: field.number)
        case .searchableTexts: return
        }
        if start == nil || start?.keys[0] != nil {
            let key = start?.keys[0].flatMap(RecordIndexing.exactKey)
            let walk: IndexScan.Order =
                index.map {
                    .key($0, planner.range(of: $0, for: query.predicate), isAscending: sort.isAscending)
                } ?? .name(isAscending: sort.isAscending)
            let resumesWithin = order.sorts.count == 1 && key?.mayBeCut != true
            guard try walkGroups(scan(walk, from: key, after: resumesWithin ? start?.number : nil), after: start)
            else { return }
        }
        // System fields are never lacking, and what lacks the field lies in no range of it.
        guard let index, !index.isOfSystemField, planner.range(of: index, for: query.predicate).isOpen else { return }
        let isPast = start.map { $0.keys[0] == nil } ?? false
        let lacking = scan(
            .lacking(index, isAscending: order.isAscending),
            after: isPast && order.sorts.count == 1 ? start?.number : nil)
        _ = try walkGroups(lacking, after: isPast ? start : nil)
    }

    /// Walks records that come in groups of equal keys, each of which has to be brought into the order of the results;
    /// false when the page has ended.
    private func walkGroups(_ scan: IndexScan, after start: QueryPosition?) throws -> Bool {
        var group: [Candidate] = []
        var groupBytes = 0
        var groupKey: IndexKey?
        var goesOn = true
        try reader.scan(scan) { found in
            let isAlone = order.sorts.count == 1 && found.key?.mayBeCut != true
            if !group.isEmpty, isAlone || found.key != groupKey {
                goesOn = try take(&group)
                groupBytes = 0
                if !goesOn { return false }
            }
            if hasToEnd() { throw CancellationError() }
            let record = try decoded(found)
            let position = order.position(of: record, number: found.number)
            if isAlone {
                goesOn = try take(record, position, found.record.body.count)
                return goesOn
            }
            groupKey = found.key
            groupBytes += found.record.body.count
            try checkSortable(bytes: groupBytes)
            if let start, !order.isBefore(start, position) { return true }
            group.append(Candidate(position: position, id: found.record.id))
            try checkSortable(group.count)
            return true
        }
        return goesOn ? try take(&group) : false
    }

    /// Few, as each may have a megabyte, and the page may end before the last.
    private static let recordsReadAtOnce = 16

    /// A record to be sorted; its contents are read again once its place is known.
    private struct Candidate {
        var position: QueryPosition
        var id: RecordID
    }

    private func take(_ group: inout [Candidate]) throws -> Bool {
        defer { group = [] }
        group.sort { order.isBefore($0.position, $1.position) }
        for part in group.parts(of: Self.recordsReadAtOnce) {
            let records = try reader.records(part.map(\.id))
            for candidate in part {
                guard let stored = records[candidate.id] else { continue }
                guard try take(try Self.record(stored), candidate.position, stored.body.count) else { return false }
            }
        }
        return true
    }

    // MARK: Sorting

    /// Takes the first records of all that a scan finds; false when they are too much work.
    private func sort(_ scan: IndexScan, after start: QueryPosition?) throws -> Bool {
        var found: [Candidate] = []
        var looked = 0
        var isDone = true
        try reader.scan(scan) { candidate in
            looked += 1
            try checkSortable(looked)
            try look(candidate.record.body.count)
            isDone = spent.bytes < bounds.bytesMax && spent.work < bounds.workMax
            guard isDone else { return false }
            let record = try decoded(candidate)
            guard try isFound(record) else { return true }
            let position = order.position(of: record, number: candidate.number)
            if let start, !order.isBefore(start, position) { return true }
            found.append(Candidate(position: position, id: candidate.record.id))
            return true
        }
        guard isDone else { return false }
        spent = Spent()
        _ = try take(&found)
        return true
    }

    private func checkSortable(bytes: Int) throws(CloudError) {
        guard bytes <= bounds.sortedBytesMax else {
            throw CloudError.exceeded(
                ExceededLimit("queryBytesSortedMax", bounds.sortedBytesMax),
                "more than \(bounds.sortedBytesMax) bytes of records are equal in the first field of sortBy and would have to be sorted in memory; order by a field first that distinguishes them"
            )
        }
    }

    private func checkSortable(_ count: Int) throws(CloudError) {
        guard count <= Limits.queryRecordsSortedMax else {
            let field = order.sorts.first.map { "\($0.field)" } ?? ""
            throw .badRequest(
                "ordering by '\(field)' would have to sort more than \(Limits.queryRecordsSortedMax) records in memory; add a filter that leaves fewer, or order by a field first that distinguishes them"
            )
        }
    }

    private func decoded(_ found: ScannedRecord) throws -> Record { try Self.record(found.record) }

    private static func record(_ stored: StoredRecord) throws -> Record {
        try stored.record()
    }
}

extension IndexCondition {
    /// Returns true if it asks for one key of one index, whose rows are in the order of their records' numbers.
    fileprivate var isSingleKey: Bool {
        if case .keys(_, equal: let keys, within: let ranges) = self {
            keys.count == 1 && ranges.isEmpty
        } else {
            false
        }
    }
}

import CRecordLoop
import CloudMessages
import CloudModel
import Cryptography
import Foundation
import RecordService
import RecordStore
import SQLite
import SQLiteRecordStore

/// A record service over a file of its own, and the measured operations.
final class Bench: Sendable {
    static let type = RecordType(trusted: "Note")
    /// Each has a hundredth of the records.
    static let kinds = 100

    let path: String
    let service: RecordService
    let markers = QueryMarkers(.generate())
    private let caller = Caller(user: UserRecordName(trusted: "_" + String(repeating: "a", count: 32)))

    init(in folder: URL, isDurable: Bool) throws {
        path = folder.appendingPathComponent("\(UUID().uuidString).sqlite").path
        let scope = ContainerEnvironment(
            container: ContainerIdentifier(trusted: "iCloud.benchmark"), environment: .development)
        let store = try SQLiteRecordStore(SQLiteConfiguration(path: path, isDurable: isDurable), role: .owner)
        service = RecordService(layout: TopicLayout(scope), store: store)
    }

    /// Saves new records with names of the server's making, `group` in each request; returns the seconds.
    func save(_ range: Range<Int>, group: Int) async throws -> Double {
        let clock = ContinuousClock()
        var requests: [[RecordOperation]] = []
        for start in stride(from: range.lowerBound, to: range.upperBound, by: group) {
            requests.append((start..<min(start + group, range.upperBound)).map(Self.operation))
        }
        let began = clock.now
        for request in requests {
            for case .failed(_, let error) in try await service.modifyRecords(request, in: .public, for: caller) {
                throw error
            }
        }
        return Self.seconds(clock.now - began)
    }

    /// Seconds of each of some look-ups of one record at random.
    func lookUp(_ count: Int, names: [RecordName]) async throws -> [Double] {
        let clock = ContinuousClock()
        var took: [Double] = []
        for _ in 0..<count {
            let name = names.randomElement()!
            let began = clock.now
            _ = try await service.lookUpRecords([name], in: .public, for: caller)
            took.append(Self.seconds(clock.now - began))
        }
        return took
    }

    /// Seconds of each of some queries for one kind: the first page.
    func query(_ count: Int, sorts: [Sort] = []) async throws -> (seconds: [Double], records: Int) {
        let clock = ContinuousClock()
        var took: [Double] = []
        var found = 0
        for number in 0..<count {
            let filter = GivenFilter(
                field: .field(FieldName(trusted: "kind")), comparator: .equals,
                operand: .value(GivenValue(.string("Kind \(number * 37 % Self.kinds)"), isTypeExplicit: true)))
            let query = RecordQuery(query: GivenQuery(recordType: Self.type, filters: [filter]), sorts: sorts)
            let began = clock.now
            found += try await service.queryRecords(query, in: .public, markers: markers, for: caller).records.count
            took.append(Self.seconds(clock.now - began))
        }
        return (took, found / count)
    }

    /// Names of records, picked evenly.
    func names(_ count: Int) async throws -> [RecordName] {
        try await service.store.read { reader in
            var names: [RecordName] = []
            let scan = IndexScan(
                type: Self.type, database: .public, zones: [.publicDefault], order: .name(isAscending: true))
            try reader.scan(scan) {
                names.append($0.record.id.name)
                return names.count < count
            }
            return names
        }
    }

    /// Seconds that C takes for the same rows.
    func inC(group: Int, isDurable: Bool) async -> Double {
        let copy = path + "-c"
        defer { Self.remove(copy) }
        return await withCheckedContinuation { continuation in
            // Off the cooperative pool, as it blocks.
            Thread.detachNewThread { [path] in
                continuation.resume(returning: crecord_save(path, copy, group, isDurable ? 1 : 0))
            }
        }
    }

    func end() async {
        await service.store.close()
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        for end in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + end) }
    }

    private static func operation(_ number: Int) -> RecordOperation {
        func field(_ value: FieldValue) -> GivenValue? { GivenValue(value, isTypeExplicit: true) }
        return RecordOperation(
            kind: .create, recordName: nil, recordType: type,
            fields: [
                FieldName(trusted: "kind"): field(.string("Kind \(number % kinds)")),
                FieldName(trusted: "title"): field(.string("The \(number)th note of many")),
                FieldName(trusted: "rank"): field(.int64(Int64(number &* 7919 % 1_000_003))),
                FieldName(trusted: "due"): field(
                    .timestamp(Timestamp(milliseconds: 1_700_000_000_000 + Int64(number)))),
                FieldName(trusted: "list"): field(
                    .reference(Reference(recordName: RecordName(trusted: "list-\(number % 1000)"), action: .none))),
            ])
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}

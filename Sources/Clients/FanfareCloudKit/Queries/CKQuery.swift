import CloudJSON
import CloudModel
public import Foundation

// Mutable state is behind the lock; CloudKit declares the class the same way.
/// A query for records of one type that match a predicate, in an order.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The type of the records.
    public let recordType: CKRecord.RecordType
    /// The condition that records match.
    public let predicate: NSPredicate
    /// The order of the results; nil is the order of creation.
    public var sortDescriptors: [NSSortDescriptor]? {
        get { lock.withLock { sorts } }
        set { lock.withLock { sorts = newValue } }
    }
    private let lock = NSLock()
    private var sorts: [NSSortDescriptor]?

    /// Creates a query.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// A copy of the query.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the query. An invalid query is not written, and unarchiving it gives nil.
    public func encode(with coder: NSCoder) {
        guard let query = try? given(), let sorts = try? givenSorts() else { return }
        JSONArchive.write(QueryJSON.given(query, sortedBy: sorts), with: coder)
    }

    /// A query from an archive.
    public convenience init?(coder: NSCoder) {
        let read = JSONArchive.read(from: coder) { (try QueryJSON.read($0), try QueryJSON.readSorts($0)) }
        guard let (query, sorts) = read else { return nil }
        self.init(
            recordType: query.recordType.rawValue,
            predicate: query.predicate.map { NSPredicate.made(PredicateFormat($0)) } ?? NSPredicate(value: true))
        if !sorts.isEmpty { sortDescriptors = sorts.map { NSSortDescriptor.made($0) } }
    }

    /// The type and the predicate, for developers.
    public override var description: String { "<CKQuery \(recordType) where \(predicate)>" }

    /// The query for a request.
    func given() throws(CKError) -> GivenQuery {
        GivenQuery(
            recordType: RecordType(trusted: recordType), filters: [], predicate: try predicate.request.get().given())
    }

    /// The sort order for a request.
    func givenSorts() throws(CKError) -> [Sort] {
        var sorts: [Sort] = []
        for descriptor in sortDescriptors ?? [] { sorts.append(try descriptor.sort()) }
        return sorts
    }
}

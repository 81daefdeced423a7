import CloudJSON
import CloudModel
public import Foundation

// What can change is behind the lock; CloudKit declares the class the same way.
/// Records of one type that satisfy a predicate, in an order.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// The type of the records.
    public let recordType: CKRecord.RecordType
    /// The condition.
    public let predicate: NSPredicate
    /// The order of the results; nil is the order of creation.
    public var sortDescriptors: [NSSortDescriptor]? {
        get { lock.withLock { sorts } }
        set { lock.withLock { sorts = newValue } }
    }
    private let lock = NSLock()
    private var sorts: [NSSortDescriptor]?

    /// A query.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        self.predicate = predicate
    }

    /// A query with the same parts.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = CKQuery(recordType: recordType, predicate: predicate)
        copy.sortDescriptors = sortDescriptors
        return copy
    }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the query. One that no service would take is not written, and not read again.
    public func encode(with coder: NSCoder) {
        guard let query = try? given(), let sorts = try? givenSorts() else { return }
        NounArchive.write(QueryJSON.given(query, sortedBy: sorts), with: coder)
    }

    /// A query from an archive.
    public convenience init?(coder: NSCoder) {
        let read = NounArchive.read(from: coder) { (try QueryJSON.read($0), try QueryJSON.readSorts($0)) }
        guard let (query, sorts) = read else { return nil }
        self.init(
            recordType: query.recordType.rawValue,
            predicate: query.predicate.map { NSPredicate.made(PredicateFormat($0)) } ?? NSPredicate(value: true))
        if !sorts.isEmpty { sortDescriptors = sorts.map { NSSortDescriptor.made($0) } }
    }

    /// The type and the predicate, for developers.
    public override var description: String { "<CKQuery \(recordType) where \(predicate)>" }

    /// The query as a request gives it.
    func given() throws(CKError) -> GivenQuery {
        GivenQuery(
            recordType: RecordType(trusted: recordType), filters: [], predicate: try predicate.request.get().given())
    }

    /// The order as a request gives it.
    func givenSorts() throws(CKError) -> [Sort] {
        var sorts: [Sort] = []
        for descriptor in sortDescriptors ?? [] { sorts.append(try descriptor.sort()) }
        return sorts
    }
}

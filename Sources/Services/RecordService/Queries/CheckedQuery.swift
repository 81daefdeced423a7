import CloudMessages
import CloudModel
import Cryptography
import ProtocolBuffers

/// A query with everything that the schema and the caller's rights make of it.
struct CheckedQuery: Sendable {
    var type: RecordType
    var database: DatabaseScope
    var zones: [ZoneID]
    var isOfAllZones: Bool
    var predicate: Predicate
    /// The predicate without the moment that `now` stands for, which is another with each page.
    var asked: Predicate
    var order: QueryOrder
    var limit: Int
    /// The user whose view of the shared database is asked; nil in other databases.
    var viewer: UserRecordName?

    /// The same for the same query in the same place, whatever the page's size.
    var digest: [UInt8] {
        // Zones may come and go between the pages of a query over all of them; its owner stays.
        var place =
            isOfAllZones
            ? zones.first?.owner.rawValue ?? ""
            : zones.map { "\($0.owner.rawValue)\u{0}\($0.name.rawValue)" }.joined(separator: "\u{0}")
        // Shared zones come and go for each owner.
        if let viewer { place = "\(viewer) \(isOfAllZones ? "" : place)" }
        let text = Array("\(database) \(isOfAllZones) \(place) \(type) \(order.sorts)".utf8)
        // The length separates the text from the predicate, which is used as stored bytes: printing a tree costs more
        // than a page.
        let length = withUnsafeBytes(of: UInt64(text.count).bigEndian) { Array($0) }
        return SHA256.hash(length + text + PredicateMessage(asked).encoded())
    }
}

import CloudJSON
public import Foundation
import JSON

// Not nested: `NSKeyedArchiver` on Linux does not archive nested classes.
/// The position in a query's results where the next page starts.
public final class CKQueryCursor: NSObject, NSSecureCoding, NSCopying, Sendable {
    let query: JSONValue
    let zone: CKRecordZone.ID?
    let marker: String?

    init(query: JSONValue, zone: CKRecordZone.ID?, marker: String?) {
        self.query = query
        self.zone = zone
        self.marker = marker
    }

    /// The start of a query.
    convenience init(_ query: CKQuery, zone: CKRecordZone.ID?) throws(CKError) {
        self.init(
            query: QueryJSON.given(try query.given(), sortedBy: try query.givenSorts()), zone: zone, marker: nil)
    }

    /// The cursor itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }
    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the query and the position.
    public func encode(with coder: NSCoder) {
        guard let bytes = try? query.serialized() else { return }
        coder.encode(Data(bytes) as NSData, forKey: "Query")
        if let zone { coder.encode(zone, forKey: "ZoneID") }
        if let marker { coder.encode(marker as NSString, forKey: "Marker") }
    }

    /// A cursor from an archive.
    public init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: "Query"),
            let query = try? JSONValue(parsing: Array(Data(referencing: data)))
        else { return nil }
        self.query = query
        zone =
            coder.containsValue(forKey: "ZoneID")
            ? coder.decodeObject(of: CKRecordZone.ID.self, forKey: "ZoneID") : nil
        marker =
            coder.containsValue(forKey: "Marker")
            ? coder.decodeObject(of: NSString.self, forKey: "Marker").map { String(describing: $0) } : nil
    }
}

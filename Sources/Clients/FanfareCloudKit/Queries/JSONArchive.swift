import CloudJSON
import CloudModel
import Foundation
import JSON

/// Archives a `CloudModel` value as the service's JSON.
enum JSONArchive {
    private static let key = "FanfareNoun"

    static func write(_ json: JSONValue?, with coder: NSCoder) {
        guard let bytes = try? json?.serialized() else { return }
        coder.encode(Data(bytes) as NSData, forKey: key)
    }

    /// Reads a value; nil if the archive has no valid one.
    static func read<Value>(from coder: NSCoder, _ read: (JSONPath) throws -> Value) -> Value? {
        guard coder.containsValue(forKey: key), let data = coder.decodeObject(of: NSData.self, forKey: key),
            let json = try? JSONValue(parsing: Array(Data(referencing: data)))
        else { return nil }
        return try? read(JSONPath(json))
    }
}

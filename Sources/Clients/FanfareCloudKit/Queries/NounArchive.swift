import CloudJSON
import CloudModel
import Foundation
import JSON

/// A noun in an archive: its JSON, as the service takes it.
enum NounArchive {
    private static let key = "FanfareNoun"

    static func write(_ json: JSONValue?, with coder: NSCoder) {
        guard let bytes = try? json?.serialized() else { return }
        coder.encode(Data(bytes) as NSData, forKey: key)
    }

    /// Reads a noun; nil where the archive has none that can be read.
    static func read<Noun>(from coder: NSCoder, _ read: (JSONPath) throws -> Noun) -> Noun? {
        guard coder.containsValue(forKey: key), let data = coder.decodeObject(of: NSData.self, forKey: key),
            let json = try? JSONValue(parsing: Array(Data(referencing: data)))
        else { return nil }
        return try? read(JSONPath(json))
    }
}

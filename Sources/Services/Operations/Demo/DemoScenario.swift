import JSON

/// The play of the demonstration, read from `demo.json` beside the data.
struct DemoScenario: Sendable {
    /// The artist whose works are subscribed to, by record name.
    let artist: String
    /// The years of making that are subscribed to.
    let years: ClosedRange<Int64>
    /// The number of artworks, in the order of the file, that are there before anyone subscribes.
    let known: Int
    /// The number of artworks that are imported while the phone listens.
    let imported: Int
    /// The number of artworks that the phone adds itself. The others come last, to both devices.
    let own: Int

    init(folder: String) throws {
        let path = "\(folder)/demo.json"
        let lines = try LineReader(path: path)
        var text: [UInt8] = []
        while let line = try lines.next() { text += line }
        let json = try JSONValue(parsing: text)
        func number(_ key: String) throws -> Int64 {
            guard let number = json[key]?.integer, number >= 0 else {
                throw ImportError("\(path) needs a whole number '\(key)'")
            }
            return number
        }
        guard let artist = json["artist"]?.string else { throw ImportError("\(path) needs a text 'artist'") }
        let first = try number("yearFirst")
        let last = try number("yearLast")
        guard first <= last else { throw ImportError("\(path): 'yearFirst' is above 'yearLast'") }
        self.artist = artist
        years = first...last
        known = Int(try number("known"))
        imported = Int(try number("imported"))
        own = Int(try number("own"))
    }
}

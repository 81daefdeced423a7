/// The notifications that must come, counted by someone else: a line for each, with device, part of the play,
/// subscription and record name between tabs.
struct DemoExpectation: Sendable {
    /// One notification that must come.
    struct Entry: Hashable, Sendable {
        let subscription: String
        let record: String
    }

    private var entries: [String: [String: [Entry]]] = [:]

    init(path: String) throws {
        let lines = try LineReader(path: path)
        while let line = try lines.next() {
            let cells = String(decoding: line, as: UTF8.self).split(separator: "\t").map(String.init)
            guard cells.count == 4 else { throw ImportError("\(path): a line needs four cells, not \(cells.count)") }
            entries[cells[0], default: [:]][cells[1], default: []].append(
                Entry(subscription: cells[2], record: cells[3]))
        }
    }

    /// The entries that a device must be told of in some parts of the play.
    func entries(_ device: String, _ parts: [String] = ["imported", "own", "rest"]) -> [Entry] {
        parts.flatMap { entries[device]?[$0] ?? [] }
    }
}

/// Tells the play line by line: when, who, what.
package struct DemoTimeline: Sendable {
    private let began = ContinuousClock.now
    private let isColoured: Bool
    private let write: @Sendable (String) -> Void

    /// A timeline that begins now.
    /// - Parameters:
    ///   - isColoured: whether the reader is a terminal that wants colours.
    ///   - write: prints one line.
    package init(isColoured: Bool, write: @escaping @Sendable (String) -> Void) {
        self.isColoured = isColoured
        self.write = write
    }

    /// A player.
    enum Actor: String {
        case museum, phone, laptop

        fileprivate var colour: Int {
            switch self {
            case .museum: 33
            case .phone: 36
            case .laptop: 35
            }
        }
    }

    /// Prints what someone did.
    func say(_ actor: Actor, _ text: String) { write(line(actor, text)) }

    /// Prints a notification as it came.
    func show(_ actor: Actor, _ note: DemoNote, artist: String, after latency: Int64) {
        let work = "\(painted("“\(note.title)”", 1)), \(artist), \(note.year)"
        write(line(actor, "  ♪ \(work)  \(painted("\(note.subscription), \(latency) ms", 2))"))
    }

    /// Prints a line that nobody says; empty ones part the text.
    func plain(_ text: String = "") { write(text) }

    /// Prints how the play ended.
    func verdict(_ text: String, isGood: Bool) { write(painted(text, isGood ? 32 : 31)) }

    private func line(_ actor: Actor, _ text: String) -> String {
        let hundredths = (ContinuousClock.now - began).microseconds / 10_000
        let seconds = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
        let time = painted(Self.aligned(seconds, 8), 2)
        return "\(time)  \(painted(actor.rawValue.padded(to: 7), actor.colour)) \(text)"
    }

    private func painted(_ text: String, _ code: Int) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }

    /// Right-aligned in a column.
    static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension String {
    /// Left-aligned in a column.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Int {
    /// With commas between thousands.
    var grouped: String {
        var digits = String(self)
        var end = digits.count - 3
        while end > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: end))
            end -= 3
        }
        return digits
    }
}

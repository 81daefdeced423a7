import Foundation

/// Prints the play line by line: time, actor, event.
struct Timeline: Sendable {
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

    private let began = ContinuousClock.now
    /// True for a terminal whose reader has not asked for no colours (no-color.org).
    private let isColoured =
        isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty

    /// Prints an action.
    func say(_ actor: Actor, _ text: String) { plain(line(actor, text)) }

    /// Prints a notification on its arrival.
    func show(_ actor: Actor, _ note: Note, artist: String, after latency: Int) {
        let work = "\(painted("“\(note.title)”", 1)), \(artist), \(note.year)"
        plain(line(actor, "  ♪ \(work)  \(painted("\(note.subscription), \(latency) ms", 2))"))
    }

    /// Prints a line without an actor, at once.
    func plain(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8)) }

    /// Prints the result of the play.
    func verdict(_ text: String, isGood: Bool) { plain(painted(text, isGood ? 32 : 31)) }

    /// A line of the table of counts.
    static func row(_ cells: String...) -> String {
        "  \(cells[0].padded(to: 14))\(cells[1].padded(to: 8))\(aligned(cells[2], 22))\(aligned(cells[3], 15))"
    }

    private func line(_ actor: Actor, _ text: String) -> String {
        let seconds = String(format: "%.2f s", (ContinuousClock.now - began) / .seconds(1))
        let time = painted(Self.aligned(seconds, 8), 2)
        return "\(time)  \(painted(actor.rawValue.padded(to: 7), actor.colour)) \(text)"
    }

    private func painted(_ text: String, _ code: Int) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }

    /// Right-aligned in a column.
    private static func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension String {
    /// Left-aligned in a column.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Int {
    /// The number with commas between thousands.
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

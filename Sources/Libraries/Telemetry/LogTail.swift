import Synchronization
import TextForms

/// The latest lines of the process's log, in memory: nothing is kept before somebody turns it on.
package final class LogTail: Sendable {
    /// The tail of this process's log.
    package static let shared = LogTail()

    /// Lines that are kept.
    package static let linesMax = 10_000
    /// Bytes that are kept in all.
    package static let bytesMax = 8 << 20

    /// One line.
    package struct Line: Sendable {
        /// Counts lines since the tail was turned on, from 1.
        package let number: Int64
        package let level: LogLevel
        /// The line as it was written, without its end.
        package let text: String
    }

    private struct State {
        var isOn = false
        var lines: [Line] = []
        /// Lines at the start of `lines` that are dropped already.
        var dropped = 0
        var bytes = 0
        var count: Int64 = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Keeps lines from now on.
    package func turnOn() { state.withLock { $0.isOn = true } }

    /// Keeps a line.
    func add(_ level: LogLevel, _ bytes: [UInt8]) {
        state.withLock { state in
            guard state.isOn else { return }
            state.count += 1
            let text = String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
            state.lines.append(Line(number: state.count, level: level, text: text))
            state.bytes += text.utf8.count
            while state.lines.count - state.dropped > Self.linesMax || state.bytes > Self.bytesMax {
                state.bytes -= state.lines[state.dropped].text.utf8.count
                state.dropped += 1
            }
            guard state.dropped > Self.linesMax else { return }
            state.lines.removeFirst(state.dropped)
            state.dropped = 0
        }
    }

    /// Returns lines after a number, oldest first.
    /// - Parameters:
    ///   - level: the lowest one.
    ///   - text: what a line has in it; empty for any.
    /// - Returns: the lines, and the number of the last one that was looked at.
    package func lines(
        after number: Int64, atLeast level: LogLevel, containing text: String, limit: Int
    ) -> (lines: [Line], next: Int64) {
        let (kept, count) = state.withLock { (Array($0.lines[$0.dropped...]), $0.count) }
        var found: [Line] = []
        for line in kept where line.number > number && line.level.rawValue >= level.rawValue {
            guard text.isEmpty || line.text.holds(text) else { continue }
            found.append(line)
            if found.count == limit { return (found, line.number) }
        }
        return (found, max(count, number))
    }
}

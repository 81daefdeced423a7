import Testing

@testable import Telemetry

/// The latest lines of the log, in memory.
@Suite struct LogTailTests {
    private static func line(_ text: String) -> [UInt8] { Array((text + "\n").utf8) }

    @Test("nothing is kept before the tail is on")
    func off() {
        let tail = LogTail()
        tail.add(.info, Self.line("a"))
        #expect(tail.lines(after: 0, atLeast: .debug, containing: "", limit: 10).lines.isEmpty)
    }

    @Test("lines are read on from a number, by level and text")
    func reading() {
        let tail = LogTail()
        tail.turnOn()
        for (level, text) in [(LogLevel.debug, "a 1"), (.info, "b 1"), (.error, "a 2"), (.warning, "b 2")] {
            tail.add(level, Self.line(text))
        }
        func read(_ number: Int64, _ level: LogLevel, _ text: String, _ limit: Int) -> ([String], Int64) {
            let (lines, next) = tail.lines(after: number, atLeast: level, containing: text, limit: limit)
            return (lines.map(\.text), next)
        }
        #expect(read(0, .debug, "", 10) == (["a 1", "b 1", "a 2", "b 2"], 4))
        #expect(read(0, .debug, "", 2) == (["a 1", "b 1"], 2))
        #expect(read(2, .debug, "", 2) == (["a 2", "b 2"], 4))
        #expect(read(0, .warning, "", 10) == (["a 2", "b 2"], 4))
        #expect(read(0, .debug, "b", 10) == (["b 1", "b 2"], 4))
        #expect(read(9, .debug, "", 10) == ([], 9))
    }

    @Test("the oldest lines make room, and numbers go on")
    func bounded() {
        let tail = LogTail()
        tail.turnOn()
        for number in 1...(2 * LogTail.linesMax + 7) { tail.add(.info, Self.line("\(number)")) }
        let (lines, next) = tail.lines(after: 0, atLeast: .debug, containing: "", limit: .max)
        #expect(lines.count == LogTail.linesMax && next == Int64(2 * LogTail.linesMax + 7))
        #expect(lines.first?.text == "\(LogTail.linesMax + 8)" && lines.last?.text == "\(2 * LogTail.linesMax + 7)")
        let large = String(repeating: "x", count: LogTail.bytesMax / 2)
        for _ in 0..<3 { tail.add(.info, Self.line(large)) }
        #expect(tail.lines(after: 0, atLeast: .debug, containing: "", limit: .max).lines.count == 2)
    }
}

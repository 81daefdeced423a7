import Foundation

/// `accessidx` in a process of its own, on the same workload in the same run.
struct Specialist {
    var eventsPerSecond: Double
    var p99Microseconds: Double
    var insertsPerSecond: Double
    var checksum: String

    /// Runs it; nil when it cannot be run or says something else.
    static func run(_ path: String, subscriptions: Int, events: Int) throws -> Specialist? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["\(subscriptions)", "0", "\(events)"]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        var values: [Substring: Substring] = [:]
        for part in output.split(whereSeparator: \.isWhitespace) {
            let pair = part.split(separator: "=")
            if pair.count == 2 { values[pair[0]] = pair[1] }
        }
        guard let events = values["ev/s"].flatMap({ Double($0) }), let p99 = values["p99us"].flatMap({ Double($0) }),
            let inserts = values["insert/s"].flatMap({ Double($0) }), let checksum = values["checksum"]
        else { return nil }
        return Specialist(
            eventsPerSecond: events, p99Microseconds: p99, insertsPerSecond: inserts, checksum: String(checksum))
    }
}

import Synchronization

/// The events of a history, line by line: kept only if they are printed. They are always part of the digest.
enum Trace {
    private static let lines = Mutex<[String]?>(nil)

    static func begin() { lines.withLock { $0 = [] } }

    static func end() -> [String] {
        lines.withLock { lines in
            defer { lines = nil }
            return lines ?? []
        }
    }

    static func add(_ line: @autoclosure () -> String) {
        lines.withLock { lines in
            guard lines != nil else { return }
            lines!.append("\(Scheduler.shared.steps) \(line())")
        }
    }
}

import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Synchronization

@testable import Push

/// Devices that missed something.
final class ScriptedMissed: MissedPushes {
    private let missed: [(device: String, change: Int64, count: Int)]
    private let questions = Mutex<[String]>([])
    private let failing: Mutex<Int?>

    /// - Parameter failing: the first question ends after this number of answers.
    init(_ missed: [(device: String, change: Int64, count: Int)], failing: Int? = nil) {
        self.missed = missed
        self.failing = Mutex(failing)
    }

    /// Devices, and the names between which they were asked about.
    var asked: [String] { questions.withLock { $0 } }

    func missed(
        by lines: [MissedLine], before next: SourcePosition?,
        found: @escaping @Sendable (_ line: MissedLine, _ entry: [UInt8], _ count: Int) throws -> Void
    ) async throws {
        let failing = failing.withLock { $0.take() }
        for (number, missed) in missed.enumerated() {
            if number == failing { throw LogError.unavailable("the test wants it so") }
            guard let line = lines.first(where: { $0.device.rawValue == missed.device }),
                line.settled.map({ $0.offset < missed.change }) ?? true
            else { continue }
            var entry = Pushed.entry(missed.change, at: missed.change, [Pushed.target(missed.device, "apns")])
            entry.time = SenderClock().now.milliseconds
            try found(line, entry.encoded(), missed.count)
        }
        let all = lines.map { "\($0.device) \($0.settled?.offset ?? -1) \(next?.offset ?? -1)" }
        questions.withLock { $0 += all }
    }
}

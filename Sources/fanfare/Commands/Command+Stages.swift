import CloudModel
import Console
import JSON
import RecordService
import RecordStore
import Settings
import Stages
import Telemetry
import Waiting

extension Command {
    static let stages = Command(
        name: "stages", usage: "stages \(LogCommand.usage) [--json]",
        summary:
            "shows how far stages 1 and 2 and push senders are in each partition, whichever process runs them, and where what is late waits",
        settings: [.common, .containers, .store, .log, .target, .listing]
    ) { reading in
        let configuration = reading.configuration
        let scope = try configuration.target
        let store = try LogCommand.store(configuration)
        return try await Task.closing({ await store?.close() }) {
            try await LogCommand.run(configuration) { log, _ in
                let layout = Backends.layout(configuration, scope)
                let answer = await LoggedStages(log, layout, now: { .wallClock() }).read()
                if configuration.printing.isJSON {
                    for line in answer.lines {
                        Output.line(String(decoding: try line.json(scope: "\(scope)").serialized(), as: UTF8.self))
                    }
                } else {
                    for line in answer.lines { Output.line(words(line)) }
                }
                if let store {
                    let outbox = try await WaitingOutbox(of: store, now: .wallClock())
                    let json = JSONValue.object(["outbox": outbox.json])
                    Output.line(
                        configuration.printing.isJSON
                            ? String(decoding: try json.serialized(), as: UTF8.self)
                            : "outbox: \(outbox.rows) rows wait, the oldest for \(seconds(outbox.seconds))")
                }
                for obstacle in answer.obstacles { Output.error(obstacle) }
                return answer.obstacles.isEmpty ? ExitCode.done : ExitCode.failed
            }
        }
    }

    private static func words(_ line: StageLine) -> String {
        var words = ["\(line.stage.rawValue)  \(line.partition)"]
        words.append(line.next.map { "at \($0) of \(line.end ?? $0)" } ?? "not begun")
        guard line.entriesBehind > 0 else { return (words + ["nothing waits"]).joined(separator: "  ") }
        words.append("\(line.entriesBehind) entries behind")
        if let behind = line.secondsBehind { words.append("the first for \(seconds(behind))") }
        if let waits = line.waits {
            let parts = [
                ("outbox", waits.outbox), ("stage 1", waits.stage1), ("stage 2", waits.stage2), ("push", waits.push),
            ]
            let known = parts.compactMap { name, wait in wait.map { "\(name) \(seconds($0))" } }
            words.append(known.joined(separator: ", "))
        }
        return words.joined(separator: "  ")
    }

    private static func seconds(_ seconds: Double) -> String { "\((seconds * 10).rounded() / 10) s" }
}

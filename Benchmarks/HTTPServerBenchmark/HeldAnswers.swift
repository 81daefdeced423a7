import CHTTPLoop
import HTTPServer
import Synchronization

/// Ten thousand held answers: what each costs, how fast all are woken, how fast a client that leaves is noticed.
enum HeldAnswers {
    /// Where the work of all held answers waits, and what became of it.
    private final class Room: HTTPHandler {
        private struct State {
            var last = 0
            var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
            var cancelled = 0
            var lastCancelled: Int64 = 0
        }

        private let state = Mutex(State())

        var waiting: Int { state.withLock { $0.waiting.count } }
        var cancelled: (count: Int, last: Int64) { state.withLock { ($0.cancelled, $0.lastCancelled) } }

        func open() {
            let waiting = state.withLock { state in
                defer { state.waiting = [:] }
                return state.waiting.values
            }
            for continuation in waiting { continuation.resume() }
        }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 0) }
        func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(status: refusal.status) }

        func answer(_ request: HTTPRequest) -> HTTPAnswer {
            .held { [self] _ in
                await wait()
                return HTTPResponse(
                    status: 200, headers: [("Content-Type", "text/plain")], body: .bytes(Array("woken".utf8)))
            }
        }

        private func wait() async {
            let number = state.withLock { state in
                state.last += 1
                return state.last
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    state.withLock { $0.waiting[number] = continuation }
                }
            } onCancel: {
                let continuation = state.withLock { state in
                    state.cancelled += 1
                    state.lastCancelled = chttp_now_nanoseconds()
                    return state.waiting.removeValue(forKey: number)
                }
                continuation?.resume()
            }
        }
    }

    static func measure(count: Int) async throws {
        let room = Room()
        var configuration = HTTPServerConfiguration()
        configuration.connectionsMaximum = count + 100
        let server = try await HTTPServer.start(configuration, handler: room)
        let before = chttp_resident_bytes()
        let client = try ClientProcess(["hold", "\(server.port)", "/", "\(count)"])
        _ = try client.read()
        try await until { room.waiting == count }
        let fresh = chttp_resident_bytes()
        let firstWake = try wake(room, client)

        try client.send("ask")
        _ = try client.read()
        try await until { room.waiting == count }
        let used = chttp_resident_bytes()

        let leaving = count / 10
        try client.send("leave \(leaving)")
        let left = try client.read()
        try await until { room.cancelled.count == leaving }
        let noticed = room.cancelled.last - (Int64(left[1]) ?? 0)
        try await until { room.waiting == count - leaving }
        let secondWake = try wake(room, client)
        try client.send("end")
        client.end()
        await server.stop()

        let held = Double(count)
        Report.line(
            "http_server_held",
            [
                "held": held, "resident_bytes_each_fresh": Double(fresh - before) / held,
                "resident_bytes_each_after_an_answer": Double(used - before) / held,
                "all_woken_ms": firstWake, "all_woken_again_ms": secondWake, "left": Double(leaving),
                "all_leavers_noticed_ms": Double(noticed) / 1e6,
            ])
    }

    /// Milliseconds from opening the room to the moment when the client has read the last answer.
    private static func wake(_ room: Room, _ client: ClientProcess) throws -> Double {
        try client.send("wait")
        let began = chttp_now_nanoseconds()
        room.open()
        return Double((Int64(try client.read()[2]) ?? 0) - began) / 1e6
    }

    /// Looks every few milliseconds, for at most a minute.
    private static func until(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            guard ContinuousClock.now < deadline else { throw ClientFailure() }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

import HTTPClient
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// The internal port: what orchestrators and operators ask a process.
@Suite struct InternalPortTests {
    @Test("readiness is refused with its reasons, a line each, and stages are told as they are")
    func readiness() async throws {
        let obstacles = Obstacles()
        let server = try await HTTPServer.start(
            HTTPServerConfiguration(),
            handler: InternalAPI(
                obstacles: { obstacles.list.withLock { $0 } }, stages: { ["stages": .array([["partition": 3]])] }))
        let http = HTTPClient()
        func get(_ path: String) async throws -> (status: Int, body: String) {
            let answer = try await http.send(HTTPClientRequest("GET", "http://127.0.0.1:\(server.port)\(path)"))
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
        #expect(try await get("/health/ready") == (200, "ready\n"))
        obstacles.list.withLock { $0 = ["the table is not read", "deliveries/3 fails"] }
        #expect(try await get("/health/ready") == (503, "not ready\nthe table is not read\ndeliveries/3 fails\n"))
        #expect(try await get("/health/live").status == 200)
        #expect(try await get("/stages") == (200, #"{"stages":[{"partition":3}]}"#))
        #expect(try await get("/elsewhere").body.contains("/stages"))
        await http.close()
        await server.stop(grace: .zero)
    }
}

/// The reasons of the moment.
private final class Obstacles: Sendable {
    let list = Mutex<[String]>([])
}

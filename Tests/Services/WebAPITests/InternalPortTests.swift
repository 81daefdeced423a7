import HTTPClient
import HTTPServer
import JSON
import Synchronization
import TestSupport
import Testing

@testable import WebAPI

/// The internal port: what orchestrators and operators ask a process.
@Suite struct InternalPortTests {
    @Test("readiness is refused with its reasons, a line each, and stages show their state")
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

    @Test("with a token, metrics and stages require it, and health shows no reasons without")
    func token() async throws {
        let token = "0123456789abcdef"
        let server = try await HTTPServer.start(
            HTTPServerConfiguration(),
            handler: InternalAPI(
                obstacles: { ["deliveries/3 fails"] }, stages: { ["stages": .array([])] }, token: token))
        let http = HTTPClient()
        func get(_ path: String, _ authorization: String?) async throws -> (status: Int, body: String) {
            var request = HTTPClientRequest("GET", "http://127.0.0.1:\(server.port)\(path)")
            if let authorization { request.headers.append(("Authorization", authorization)) }
            let answer = try await http.send(request)
            return (answer.status, String(decoding: answer.body, as: UTF8.self))
        }
        for path in ["/metrics", "/stages"] {
            for wrong in [nil, token, "Bearer", "Bearer 0123456789abcdeF", "Bearer \(token)0", "Basic \(token)"] {
                #expect(try await get(path, wrong).status == 401, "\(path) with \(wrong ?? "nothing")")
            }
            #expect(try await get(path, "Bearer \(token)").status == 200)
            #expect(try await get(path, "bearer \(token)").status == 200)
        }
        #expect(try await get("/health/live", nil) == (200, "live\n"))
        #expect(try await get("/health/ready", nil) == (503, "not ready\n"))
        #expect(try await get("/health/ready", "Bearer \(token)") == (503, "not ready\ndeliveries/3 fails\n"))
        await http.close()
        await server.stop(grace: .zero)
    }
}

/// The reasons of the moment.
private final class Obstacles: Sendable {
    let list = Mutex<[String]>([])
}

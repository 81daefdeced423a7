import CHTTPLoop
import HTTPServer

/// Requests a second on 64 keep-alive connections, in turns: C, Swift that answers at once, Swift that answers through
/// a task whose work does not wait, and through one that leaves its thread.
enum Throughput {
    private struct Subject {
        var name: String
        var port: Int
        var path: String
        var rates: [Double] = []
        var processorMicroseconds: [Double] = []
    }

    private struct Hello: HTTPHandler {
        private static let body = Array("hello".utf8)

        static var response: HTTPResponse {
            HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")], body: .bytes(body))
        }

        func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .body(maximumBytes: 0) }
        func answer(_ request: HTTPRequest) -> HTTPAnswer {
            switch request.path {
            case "/later": .later { Self.response }
            case "/task":
                .later {
                    await Task.yield()
                    return Self.response
                }
            default: .now(Self.response)
            }
        }
        func refusal(_ refusal: HTTPRefusal) -> HTTPResponse { HTTPResponse(status: refusal.status) }
    }

    static func measure(rounds: Int, seconds: Double) async throws {
        let configuration = HTTPServerConfiguration()
        let server = try await HTTPServer.start(configuration, handler: Hello())
        var port: Int32 = 0
        let loop = chttp_server_start(UInt32(configuration.workers), UInt32(configuration.memoryPerConnection), &port)
        var subjects = [
            Subject(name: "c", port: Int(port), path: "/now"), Subject(name: "now", port: server.port, path: "/now"),
            Subject(name: "later", port: server.port, path: "/later"),
            Subject(name: "task", port: server.port, path: "/task"),
        ]
        for round in 0...rounds {
            for index in subjects.indices {
                let before = chttp_processor_nanoseconds()
                let client = try ClientProcess(
                    ["load", "\(subjects[index].port)", subjects[index].path, "64", "\(seconds)"])
                guard let answers = Double(try client.read()[0]), answers > 0 else { throw ClientFailure() }
                client.end()
                let used = Double(chttp_processor_nanoseconds() - before)
                // The first round warms up.
                if round == 0 { continue }
                subjects[index].rates.append(answers / seconds)
                subjects[index].processorMicroseconds.append(used / 1000 / answers)
            }
        }
        chttp_server_stop(loop)
        await server.stop()
        for subject in subjects { report(subject, against: subjects[0], rounds: rounds) }
    }

    private static func report(_ subject: Subject, against loop: Subject, rounds: Int) {
        let ratios = zip(subject.rates, loop.rates).map { $0 / $1 }
        Report.line(
            "http_server_\(subject.name)",
            [
                "connections": 64, "rounds": Double(rounds), "requests_per_second": Report.median(subject.rates),
                "server_cpu_us_per_request": Report.median(subject.processorMicroseconds),
                "ratio_to_c": Report.median(ratios), "ratio_to_c_min": ratios.min() ?? 0,
                "ratio_to_c_max": ratios.max() ?? 0,
            ])
    }
}

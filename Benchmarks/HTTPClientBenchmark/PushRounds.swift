import CPushLoop
import Foundation
import HTTPClient

/// Rounds of the same pushes by the loop and by `MultiplexedConnection`.
struct PushRounds {
    /// The number of a push is added to it.
    var url: String
    var caFile: String
    var count: Int
    var window: Int

    private static let headers = [
        ("authorization", "bearer " + String(repeating: "a", count: 180)), ("apns-topic", "com.example.gallery"),
        ("apns-push-type", "alert"), ("apns-priority", "10"), ("apns-expiration", "1800000000"),
        ("apns-collapse-id", "0123456789abcdef"),
    ]
    private static let body = [UInt8](repeating: 120, count: 300)

    private struct Figures {
        var microseconds: [Double] = []
        var rates: [Double] = []
    }

    func measure(rounds: Int) async throws {
        var loop = Figures()
        var connection = Figures()
        for round in 0...rounds {
            let (used, rate) = try await time { sendByLoop() }
            let (usedHere, rateHere) = try await time { try await sendByConnection() }
            // The first round warms up.
            if round == 0 { continue }
            loop.microseconds.append(used)
            loop.rates.append(rate)
            connection.microseconds.append(usedHere)
            connection.rates.append(rateHere)
        }
        let cpu = zip(connection.microseconds, loop.microseconds).map { $0 / $1 }
        let rates = zip(connection.rates, loop.rates).map { $0 / $1 }
        print(
            String(
                format: "{\"benchmark\":\"http2_push\",\"window\":%d,\"pushes\":%d,\"rounds\":%d,"
                    + "\"loop_cpu_us\":%.1f,\"cpu_us\":%.1f,\"cpu_ratio\":%.2f,\"cpu_ratio_min\":%.2f,"
                    + "\"cpu_ratio_max\":%.2f,\"loop_rate\":%.0f,\"rate\":%.0f,\"rate_ratio\":%.2f}",
                window, count, rounds, median(loop.microseconds), median(connection.microseconds), median(cpu),
                cpu.min() ?? 0, cpu.max() ?? 0, median(loop.rates), median(connection.rates), median(rates)))
    }

    /// The processor's microseconds of a push, and the pushes a second.
    private func time(_ send: () async throws -> Int) async throws -> (Double, Double) {
        let used = cpush_processor_nanoseconds()
        let start = cpush_now_nanoseconds()
        guard try await send() == count else { throw Unanswered() }
        let seconds = Double(cpush_now_nanoseconds() - start) / 1e9
        return (Double(cpush_processor_nanoseconds() - used) / 1000 / Double(count), Double(count) / seconds)
    }

    private func sendByLoop() -> Int {
        let lines = Self.headers.map { strdup("\($0.0): \($0.1)") }
        defer { for line in lines { free(line) } }
        return lines.map { UnsafePointer($0) }.withUnsafeBufferPointer { lines in
            Int(
                cpush_send(
                    url, caFile, Int32(count), Int32(window), lines.baseAddress, Int32(lines.count), Self.body,
                    Int32(Self.body.count), nil, nil))
        }
    }

    private func sendByConnection() async throws -> Int {
        var configuration = MultiplexingConfiguration()
        configuration.caFile = caFile
        configuration.streamsMaximum = window
        let origin = url.split(separator: "/").prefix(2).joined(separator: "//")
        let connection = MultiplexedConnection(to: origin, configuration)
        let answered = try await withThrowingTaskGroup(of: Int.self) { group in
            for sender in 0..<window {
                group.addTask {
                    var answered = 0
                    for number in stride(from: sender, to: count, by: window) {
                        let request = HTTPClientRequest(
                            "POST", "\(url)\(number)", headers: Self.headers + [("apns-id", "\(number)")],
                            body: .bytes(Self.body))
                        if try await connection.send(request).status == 200 { answered += 1 }
                    }
                    return answered
                }
            }
            return try await group.reduce(0, +)
        }
        await connection.close()
        return answered
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    struct Unanswered: Error {}
}

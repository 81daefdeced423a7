import CPushLoop
import CWebPushLoop
import CloudModel
import Cryptography
import EventLog
import Foundation
import HTTPClient
import Push
import Synchronization
import Waiting

/// Rounds of the same messages by a loop in C that encrypts and sends them, and by `WebPushProvider`, which also makes
/// the payload. The processor's time is that of the process: a core sends as many messages as it has time for.
struct SendingRounds {
    /// The number of a push is added to it.
    var url: String
    var caFile: String
    var count: Int
    var window: Int

    private let keys = SigningKeys([SigningKey.generate()])
    private let receiver = SigningKey.generate().publicPoint
    private let secret = SecureRandom.bytes(count: WebPushEncryption.secretBytes)

    private struct Figures {
        var microseconds: [Double] = []
        var rates: [Double] = []
    }

    func measure(rounds: Int) async throws {
        var (loop, provider) = (Figures(), Figures())
        for round in 0...rounds {
            for isLoop in round % 2 == 0 ? [true, false] : [false, true] {
                let (used, rate) = try await time { isLoop ? sendByLoop() : try await sendByProvider() }
                // The first round warms up.
                if round == 0 { continue }
                if isLoop {
                    loop.microseconds.append(used)
                    loop.rates.append(rate)
                } else {
                    provider.microseconds.append(used)
                    provider.rates.append(rate)
                }
            }
        }
        let shares = zip(loop.microseconds, provider.microseconds).map { $0 / $1 }
        print(
            String(
                format: "{\"work\":\"web-push-sending\",\"window\":%d,\"messages\":%d,\"rounds\":%d,"
                    + "\"c_cpu_us\":%.1f,\"cpu_us\":%.1f,\"swift_to_c\":%.2f,\"least\":%.2f,\"most\":%.2f,"
                    + "\"c_rate\":%.0f,\"rate\":%.0f}",
                window, count, rounds, median(loop.microseconds), median(provider.microseconds), median(shares),
                shares.min() ?? 0, shares.max() ?? 0, median(loop.rates), median(provider.rates)))
    }

    /// The processor's microseconds of a push, and the pushes a second.
    private func time(_ send: () async throws -> Int) async throws -> (Double, Double) {
        let used = cpush_processor_nanoseconds()
        let start = cpush_now_nanoseconds()
        guard try await send() == count else { fatalError("not all pushes were taken") }
        let seconds = Double(cpush_now_nanoseconds() - start) / 1e9
        return (Double(cpush_processor_nanoseconds() - used) / 1000 / Double(count), Double(count) / seconds)
    }

    /// A payload of some 300 bytes, as that of the provider.
    private static let payload = PushPayload(
        id: String(repeating: "n", count: 32), container: ContainerIdentifier(trusted: "iCloud.com.example.Gallery"),
        subscription: SubscriptionKey(
            user: UserRecordName(trusted: "_0123456789abcdef0123456789abcdef"), database: .private,
            id: SubscriptionID(trusted: "notes")),
        detail: .zone(ZoneID(name: .defaultZone, owner: UserRecordName(trusted: "_0123456789abcdef0123456789abcdef"))),
        appearance: Appearance(alert: AlertText("A new note from somebody")), badge: 7)

    private func sendByLoop() -> Int {
        let content = Self.payload.sent(within: WebPushEncryption.contentBytesMax).bytes
        let token = "vapid t=\(String(repeating: "a", count: 240)), k=\(String(repeating: "b", count: 87))"
        let fields: [String] = [
            "authorization: \(token)", "content-encoding: aes128gcm", "content-type: application/octet-stream",
            "ttl: 600", "urgency: high", "topic: \(String(repeating: "t", count: 32))",
        ]
        let lines = fields.map { strdup($0) }
        defer { for line in lines { free(line) } }
        return receiver.withUnsafeBufferPointer { point in
            secret.withUnsafeBufferPointer { secret in
                content.withUnsafeBufferPointer { content in
                    var message = cwebpush_message(
                        point: point.baseAddress, secret: secret.baseAddress, content: content.baseAddress,
                        bytes: content.count)
                    return lines.map { UnsafePointer($0) }.withUnsafeBufferPointer { lines in
                        Int(
                            cpush_send(
                                url, caFile, Int32(count), Int32(window), lines.baseAddress, Int32(lines.count), nil,
                                0, cwebpush_make, &message))
                    }
                }
            }
        }
    }

    private func sendByProvider() async throws -> Int {
        var configuration = MultiplexingConfiguration()
        configuration.caFile = caFile
        let transport = GuardedTransport(
            OutgoingGuard(allowsLoopback: true), configuration, timeout: .seconds(60))
        let now: @Sendable () -> Timestamp = { Timestamp(milliseconds: 1_800_000_000_000) }
        let provider = WebPushProvider(
            tokens: VAPIDTokens(keys: keys, subject: try VAPIDSubject("mailto:push@example.com"), now: now),
            transport: transport, threads: WorkerThreads(count: 2), now: now)
        let accepted = await withTaskGroup(of: Int.self) { group in
            for sender in 0..<window {
                group.addTask {
                    var accepted = 0
                    for number in stride(from: sender, to: count, by: window) {
                        if await provider.send(push(number, at: now())).isAccepted { accepted += 1 }
                    }
                    return accepted
                }
            }
            return await group.reduce(0, +)
        }
        await transport.close()
        return accepted
    }

    private func push(_ number: Int, at now: Timestamp) -> OutgoingPush {
        let source = SourcePosition(
            source: SourceID(origin: "pushes", incarnation: 1, partition: 0), offset: Int64(number))
        let address = WebPushAddress(
            endpoint: "\(url)\(number)", publicKey: receiver, authentication: secret,
            serverKey: keys.current.publicPoint)
        return OutgoingPush(
            id: PushID(of: source, to: DeviceID(trusted: "browser"), DeviceEpoch(1), kind: .webPush),
            address: .webPush(address), payload: Self.payload, isVisible: true,
            expires: Timestamp(milliseconds: now.milliseconds + 600_000))
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

import CloudModel
import Cryptography
import EventLog
import JSON
import Synchronization
import TestSupport

@testable import Push

/// A provider's side of the connections: it gives the answers of a script, one a request, and keeps the requests.
final class ScriptedTransport: PushTransport {
    private let state: Mutex<(answers: [PushAnswer], requests: [PushRequest])>

    /// - Parameter answers: the last one is given again and again.
    init(_ answers: PushAnswer...) { state = Mutex((answers, [])) }

    convenience init(status: Int, headers: [(name: String, value: String)] = [], body: String = "") {
        self.init(.response(PushResponse(status: status, headers: headers, body: Array(body.utf8))))
    }

    var requests: [PushRequest] { state.withLock { $0.requests } }

    func send(_ request: PushRequest) async -> PushAnswer {
        state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
    }
}

/// A clock of the wall that a test moves.
final class WallClock: Sendable {
    private let milliseconds: Mutex<Int64>

    init(seconds: Int64) { milliseconds = Mutex(seconds * 1000) }

    var now: @Sendable () -> Timestamp { { Timestamp(milliseconds: self.milliseconds.withLock { $0 }) } }

    func move(bySeconds seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }
}

extension PushOutcome {
    /// Accepted, as APNs answers.
    static let taken = PushOutcome.accepted(status: 200)
}

/// The pushes of these tests.
enum Sample {
    /// 2023-11-14T22:13:20Z, which is 800 s after a half hour.
    static let seconds: Int64 = 1_700_000_000
    static let scope = ContainerEnvironment(
        container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development)
    static let apns = APNSAddress(token: (0..<32).map { $0 * 8 }, environment: .production)

    static func id(_ offset: Int64 = 7) -> PushID {
        PushID(
            of: SourcePosition(source: SourceID(origin: "pushes", incarnation: 1, partition: 0), offset: offset),
            to: DeviceID(trusted: "phone"), DeviceEpoch(2), kind: .apns)
    }

    /// A visible push, if its look shows something.
    static func push(
        _ address: PushAddress, _ appearance: Appearance<String> = Appearance(alert: AlertText("text")),
        fields: [String: FieldValue] = [:], contents: PushContents = .full, isVisible: Bool? = nil,
        collapseID: String? = nil, badge: Int64? = nil
    ) -> OutgoingPush {
        let detail = PushPayload.Detail.query(
            reason: .created, record: RecordName(trusted: "RECORD-NAME"), zone: .publicDefault,
            fields: PushPayloadTests.fields(fields))
        let payload = PushPayloadTests.payload(detail: detail, appearance, badge: badge)
        return OutgoingPush(
            id: id(), address: address, contents: contents, payload: payload,
            isVisible: isVisible ?? payload.delivery.isVisible, collapseID: collapseID,
            expires: Timestamp(milliseconds: (seconds + 600) * 1000))
    }

    /// Identifiers that a header could not have as they are.
    static let hostile = [
        "a\r\napns-topic: other", "a\nb", "\u{0}", "👩‍👩‍👧‍👦", "ä", " x", "x ", "\u{7f}",
        String(repeating: "x", count: 65), String(repeating: "👍", count: 4096),
    ]
}

extension PushRequest {
    /// The body of a request with JSON.
    var json: JSONValue? { try? JSONValue(parsing: body) }

    /// True if each header is printable ASCII, and none is there twice.
    var hasPlainHeaders: Bool {
        headers.allSatisfy { $0.value.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !$0.value.isEmpty }
            && Set(headers.map(\.name)).count == headers.count && headers.allSatisfy { $0.name == $0.name.lowercased() }
    }
}

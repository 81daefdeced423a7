import FanfareCloudKit
import JSON
import Synchronization

/// A transport that keeps what it is asked and answers from lists.
final class RecordedTransport: FanfareTransport {
    private struct State {
        var requests: [FanfareRequest] = []
        var answers: [(status: Int, body: String)] = []
        var streams: [[String]] = []
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - answers: bodies of answers with the status 200, or with one of their own.
    ///   - streams: the pieces of each stream; after the last of them, a stream is refused for good.
    init(answers: [(Int, String)] = [], streams: [[String]] = []) {
        state.withLock { state in
            state.answers = answers.map { (status: $0.0, body: $0.1) }
            state.streams = streams
        }
    }

    var requests: [FanfareRequest] { state.withLock { $0.requests } }

    /// The bodies of the requests.
    var bodies: [JSONValue] { get throws { try requests.map { try JSONValue(parsing: $0.body) } } }

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.isEmpty ? (status: 500, body: "no answer is left") : state.answers.removeFirst()
        }
        return FanfareResponse(status: answer.status, body: Array(answer.body.utf8))
    }

    func stream(_ request: FanfareRequest) async throws -> FanfareStream {
        let pieces: [String]? = state.withLock { state in
            state.requests.append(request)
            return state.streams.isEmpty ? nil : state.streams.removeFirst()
        }
        let expired = #"{"serverErrorCode": "CHANGE_TOKEN_EXPIRED", "reason": "no stream is left"}"#
        let rest = Pieces(pieces ?? [expired])
        return FanfareStream(status: pieces == nil ? 410 : 200) { rest.next() }
    }

    private final class Pieces: Sendable {
        private let rest: Mutex<[String]>

        init(_ pieces: [String]) { rest = Mutex(pieces) }

        func next() -> [UInt8]? { rest.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } }
    }
}

extension CKContainer {
    /// A container over a transport that answers from lists, which asks for nothing twice.
    convenience init(_ transport: RecordedTransport, user: String? = "alice") {
        var configuration = Configuration(
            url: "http://test/", containerIdentifier: "iCloud.test", environment: .development, apiToken: "a+b",
            signIn: user.map { .developmentUser($0) } ?? .nobody, deviceID: "phone", transport: transport)
        configuration.attemptsMax = 1
        self.init(configuration: configuration)
    }
}

extension RecordedTransport {
    /// The answer to a sign-in.
    static var signedIn: (Int, String) { (200, #"{"ckWebAuthToken": "t&t", "userRecordName": "_u"}"#) }
}

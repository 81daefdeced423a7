import CloudModel
import Testing

@testable import Push

/// The outcomes of APNs' answers, row by row.
@Suite struct APNSAnswerTests {
    enum Outcome { case accepted, dropped, gone, doubtful, misconfigured, line, address }

    private static let now = Timestamp(milliseconds: Sample.seconds * 1000)

    private static func outcome(
        _ status: Int, _ body: String, headers: [(name: String, value: String)] = [], hasOwnTopic: Bool = false
    ) -> PushOutcome {
        APNSAnswer(PushResponse(status: status, headers: headers, body: Array(body.utf8)))
            .outcome(hasOwnTopic: hasOwnTopic, now: now)
    }

    private static func expected(_ outcome: Outcome, _ failure: PushFailure) -> PushOutcome {
        switch outcome {
        case .accepted: .taken
        case .dropped: .dropped(failure)
        case .gone: .gone(failure, since: nil)
        case .doubtful: .doubtful(failure)
        case .misconfigured: .misconfigured(failure)
        case .line: .failed(failure, .line(after: nil))
        case .address: .failed(failure, .address(after: nil))
        }
    }

    static let rows: [(status: Int, reason: String, outcome: Outcome)] = [
        (410, "Unregistered", .gone), (410, "ExpiredToken", .gone),
        (400, "BadDeviceToken", .doubtful), (400, "DeviceTokenNotForTopic", .doubtful),
        (403, "ExpiredProviderToken", .misconfigured),
        (403, "InvalidProviderToken", .misconfigured), (403, "BadCertificate", .misconfigured),
        (403, "BadCertificateEnvironment", .misconfigured), (400, "MissingTopic", .misconfigured),
        (403, "MissingTopic", .misconfigured), (400, "TopicDisallowed", .misconfigured),
        (403, "TopicDisallowed", .misconfigured), (403, "BadEnvironmentKeyIdInToken", .misconfigured),
        (403, "UnrelatedKeyIdInToken", .misconfigured), (403, "MissingProviderToken", .misconfigured),
        (403, "Forbidden", .misconfigured),
        (413, "PayloadTooLarge", .dropped), (400, "BadCollapseId", .dropped), (400, "BadExpirationDate", .dropped),
        (400, "BadMessageId", .dropped), (400, "BadPriority", .dropped), (400, "BadTopic", .dropped),
        (400, "DuplicateHeaders", .dropped), (400, "InvalidPushType", .dropped),
        (400, "MissingDeviceToken", .dropped), (400, "PayloadEmpty", .dropped), (404, "BadPath", .dropped),
        (405, "MethodNotAllowed", .dropped),
        (429, "TooManyRequests", .address), (429, "TooManyProviderTokenUpdates", .line),
        (500, "InternalServerError", .line), (503, "ServiceUnavailable", .line), (503, "Shutdown", .line),
        (400, "IdleTimeout", .line),
    ]

    @Test("each reason has its outcome", arguments: rows)
    func reasons(status: Int, reason: String, outcome: Outcome) {
        #expect(
            Self.outcome(status, #"{"reason":"\#(reason)"}"#)
                == Self.expected(outcome, PushFailure(status: status, reason: reason)))
    }

    @Test("each reason that is known has a row")
    func complete() { #expect(Set(Self.rows.map(\.reason)) == Set(APNSReason.allCases.map(\.rawValue))) }

    @Test(
        "answers without a known reason have a word of ours, never one of theirs",
        arguments: [
            (200, "", .accepted), (400, "bad-request", .dropped), (401, "unauthorized", .misconfigured),
            (403, "forbidden", .misconfigured), (404, "not-found", .dropped), (410, "gone", .doubtful),
            (413, "too-large", .dropped), (429, "too-many-requests", .address), (500, "server-error", .line),
            (502, "server-error", .line), (503, "server-error", .line), (599, "server-error", .line),
            (302, "redirection", .line), (204, "unexpected-status", .line), (0, "unexpected-status", .line),
            (999, "unexpected-status", .line), (-1, "unexpected-status", .line),
        ] as [(Int, String, Outcome)])
    func withoutReason(status: Int, word: String, outcome: Outcome) {
        for body in ["", "<html>", "{}", "[]", #"{"reason":7}"#, #"{"reason":"token 0a0b of user"}"#, "{\"reason\":"] {
            #expect(Self.outcome(status, body) == Self.expected(outcome, PushFailure(status: status, reason: word)))
        }
    }

    @Test(
        "the timestamp of a 410 is the time since which the token is dead",
        arguments: [
            ("1700000000123", 1_700_000_000_123), ("1.7e12", 1_700_000_000_000), ("0", nil), ("-5", nil),
            ("\"x\"", nil),
            ("null", nil), ("1e300", nil),
        ] as [(String, Int64?)])
    func timestamps(text: String, milliseconds: Int64?) {
        #expect(
            Self.outcome(410, #"{"reason":"Unregistered","timestamp":\#(text)}"#)
                == .gone(
                    PushFailure(status: 410, reason: "Unregistered"),
                    since: milliseconds.map { Timestamp(milliseconds: $0) }))
    }

    @Test("a topic that a device chose is refused without stopping the others")
    func ownTopic() {
        #expect(
            Self.outcome(400, #"{"reason":"TopicDisallowed"}"#, hasOwnTopic: true)
                == .doubtful(PushFailure(status: 400, reason: "TopicDisallowed")))
        #expect(
            Self.outcome(403, #"{"reason":"InvalidProviderToken"}"#, hasOwnTopic: true)
                == .misconfigured(PushFailure(status: 403, reason: "InvalidProviderToken")))
    }

    @Test("Retry-After is the pause of an address for 429 and that of the line for 5xx")
    func pauses() {
        let headers = [(name: "retry-after", value: "7")]
        #expect(
            Self.outcome(429, #"{"reason":"TooManyRequests"}"#, headers: headers)
                == .failed(PushFailure(status: 429, reason: "TooManyRequests"), .address(after: .seconds(7))))
        #expect(
            Self.outcome(503, #"{"reason":"Shutdown"}"#, headers: headers)
                == .failed(PushFailure(status: 503, reason: "Shutdown"), .line(after: .seconds(7))))
    }

    @Test(
        "Retry-After is a number of seconds or a date, an hour at most",
        arguments: [
            ("0", .seconds(0)), ("120", .seconds(120)), (" 5 ", .seconds(5)), ("3601", .seconds(3600)),
            ("99999999999999999999999", .seconds(3600)), ("9223372036854775807", .seconds(3600)),
            ("Tue, 14 Nov 2023 22:13:30 GMT", .seconds(10)), ("Tue, 14 Nov 2023 22:13:10 GMT", .zero),
            ("Tue, 14 Nov 2033 22:13:10 GMT", .seconds(3600)), ("", nil), ("-1", nil), ("1.5", nil), ("soon", nil),
            ("Tue, 14 Nov 2023 22:13:30 CET", nil), ("Tue, 99 Nov 2023 22:13:30 GMT", nil), ("1 2", nil),
        ] as [(String, Duration?)])
    func retryAfter(text: String, pause: Duration?) {
        #expect(PushResponse(status: 503, headers: [("retry-after", text)]).retryAfter(now: Self.now) == pause)
    }

    @Test("faults without an answer", arguments: PushFault.allCases)
    func faults(fault: PushFault) async {
        let failure = PushFailure(reason: fault.rawValue)
        let (unprocessed, unknown) = (PushAnswer.unprocessed(fault), PushAnswer.unknown(fault))
        if fault == .forbiddenAddress {
            #expect(unprocessed.outcome { _ in .taken } == .dropped(failure))
            #expect(unknown.outcome { _ in .taken } == .dropped(failure))
        } else {
            // A host without a connection must not be called again without a pause.
            let isRefused = [.refused, .reset].contains(fault)
            #expect(
                unprocessed.outcome { _ in .taken } == .failed(failure, isRefused ? .atOnce : .line(after: nil)))
            #expect(unknown.outcome { _ in .taken } == .failed(failure, .line(after: nil)))
        }
    }
}

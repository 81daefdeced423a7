import CloudJSON
import CloudModel
import HTTPServer
import JSON
import Telemetry
import WebAPI

/// Sessions of operators, in no container.
extension OperatorMount {
    var sessionRoutes: [Route] {
        [
            Route(
                "operator/sessions", title: "sessions", path: "/operator/1/sessions", methods: ["POST"], reading: .all,
                admit: { head, _ throws(CloudError) in
                    try checkPage(head)
                    return .body(maximumBytes: 4096)
                },
                work: .later { request, visit in try begin(request, visit) }),
            own("sessions/current") { session, _ in .object(Self.json(session)) },
            own("sessions/end") { session, token in
                try sessions.end(token)
                return ["operator": .string(session.who.name), "ended": true]
            },
            own("codes") { session, _ in
                [
                    "code": .string(sessions.makeCode(for: session.who)),
                    "minutes": .integer(OperatorSessions.codeMinutes),
                ]
            },
        ]
    }

    /// A route about the session that the request shows.
    private func own(
        _ name: String, _ work: @escaping @Sendable (OperatorSession, _ token: String) throws -> JSONValue
    ) -> Route {
        Route(
            "operator/\(name)", title: name, path: PathPattern("/operator/1/\(name)"), methods: ["POST"], reading: .all,
            admit: { head, visit throws(CloudError) in
                let sender = Sender.operating(try session(head).who.name)
                visit.note(sender, isGood: true)
                try rates.begin(sender, nil)
                return .body(maximumBytes: 4096, account: sender.account)
            },
            work: .later { request, visit in
                let session = try session(request.head)
                let answer = try work(session, try Self.token(request.head))
                if name != "sessions/current" { Self.log(session.who, name, visit) }
                return JSONResponse.make(answer)
            })
    }

    private func begin(_ request: HTTPRequest, _ visit: Visit) throws -> HTTPResponse {
        let code = try Self.body(request).required("code").string()
        let (token, session) = try sessions.begin(code: code)
        Self.log(session.who, "sessions", visit)
        var json = Self.json(session)
        json["token"] = .string(token)
        return JSONResponse.make(.object(json))
    }

    private static func log(_ who: Operator, _ act: String, _ visit: Visit) {
        Log.info(
            "operator.act",
            [
                "operator": who.name, "role": who.role.rawValue, "act": act, "scope": "", "request": visit.id,
                "outcome": "done",
            ])
    }

    private static func json(_ session: OperatorSession) -> JSONObject {
        [
            "operator": .string(session.who.name), "role": .string(session.who.role.rawValue),
            "rights": .array(session.who.rights.map(OperatorSession.json)),
            "expires": .integer(session.expires.milliseconds),
        ]
    }
}

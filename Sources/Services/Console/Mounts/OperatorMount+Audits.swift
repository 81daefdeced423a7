import CloudJSON
import CloudModel
import JSON
import WebAPI

extension OperatorMount {
    static let audits: [OperatorEndpoint] = [
        OperatorEndpoint("audits/list", .reads) { call in
            ["audits": .array(try call.audits().list(call.scope.scope).map { .object($0) })]
        },
        OperatorEndpoint("audits/lookup", .readsPeople) { call in
            let id = try call.body.required("auditID").string()
            return .object(try call.audits().lookUp(id, in: call.scope.scope))
        },
        // Neither is written to the store.
        OperatorEndpoint("audits/start", .changesInSteps) { call in
            ["auditID": .string(try call.audits().start(try call.auditRequest(), by: call.who.name))]
        },
        OperatorEndpoint("audits/stop", .changesInSteps) { call in
            let id = try call.body.required("auditID").string()
            return ["audit": .object(try call.audits().stop(id, in: call.scope.scope))]
        },
    ]
}

extension OperatorCall {
    fileprivate func audits() throws(CloudError) -> AuditRuns {
        guard let audits = system.audits else {
            throw CloudError(.accessDenied, "this process cannot read the log's positions, so that it audits nothing")
        }
        return audits
    }

    /// The extent that the body asks for.
    fileprivate func auditRequest() throws(CloudError) -> AuditRequest {
        let (from, to) = (try time("from"), try time("to"))
        if let from, let to, from > to { throw .badRequest("'from' is later than 'to'") }
        let devices = try body["devices"]?.elements(atMost: Limits.operatorPageMax) ?? []
        var ids: [DeviceID] = []
        for device in devices { ids.append(try device.identifier(DeviceID.self)) }
        return AuditRequest(scope: scope.scope, from: from, to: to, devices: ids)
    }

    private func time(_ key: String) throws(CloudError) -> Timestamp? {
        let text = try text(key)
        guard !text.isEmpty else { return nil }
        guard let time = Timestamp(iso8601: text) else {
            throw .badRequest("\(key) is a time such as 2026-03-01T12:00:00Z, not '\(text.prefix(80))'")
        }
        return time
    }
}

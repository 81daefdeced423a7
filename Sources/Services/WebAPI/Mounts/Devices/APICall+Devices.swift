import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func registerDevice() async throws -> HTTPResponse {
        let body = try body()
        let id = try body["deviceID"].map { id throws(CloudError) in try id.identifier(DeviceID.self) }
        let device = try await scope.records.registerDevice(
            id, name: try body["name"]?.string() ?? "", platform: try body["platform"]?.string() ?? "", for: caller)
        return JSONResponse.make(.object(DeviceJSON.device(device)))
    }

    func listDevices() async throws -> HTTPResponse {
        let devices = try await scope.records.listDevices(for: caller)
        return JSONResponse.make([
            "devices": .array(
                devices.map { listed in
                    var json = DeviceJSON.device(listed.device)
                    json["lastSeen"] = .integer(listed.lastSeen.milliseconds)
                    if let expires = listed.expires { json["expires"] = .integer(expires.milliseconds) }
                    if !listed.addresses.isEmpty {
                        json["push"] = .array(listed.addresses.map(PushAddressJSON.address))
                    }
                    return .object(json)
                })
        ])
    }

    func unregisterDevice() async throws -> HTTPResponse {
        let id = try deviceID(in: try body())
        try await scope.records.unregisterDevice(id, for: caller)
        return JSONResponse.make(["deviceID": .string(id.rawValue), "deleted": true])
    }

    /// Answers what the user chose for a device, after setting it by a POST.
    func devicePolicies() async throws -> HTTPResponse {
        guard request.method != "GET" else {
            let id = try deviceIDInQuery()
            return answer(try await scope.records.policies(of: id, for: caller), of: id)
        }
        let body = try body()
        let id = try deviceID(in: body)
        let policies = try DeliveryPolicyJSON.readPolicies(body)
        try await scope.records.setPolicies(policies, on: id, for: caller)
        return answer(policies, of: id)
    }

    private func answer(_ policies: DevicePolicies, of id: DeviceID) -> HTTPResponse {
        var json = DeliveryPolicyJSON.policies(policies)
        json["deviceID"] = .string(id.rawValue)
        return JSONResponse.make(.object(json))
    }

    func modifyBadge() async throws -> HTTPResponse {
        let body = try body()
        let value = try body.required("badgeValue").integer()
        try await scope.records.setBadge(value, on: try deviceID(in: body), for: caller)
        return JSONResponse.make(["badgeValue": .integer(value)])
    }

    func currentBadge() async throws -> HTTPResponse {
        let badge = try await scope.records.badge(of: try deviceIDInQuery(), for: caller)
        return JSONResponse.make(["badgeValue": .integer(badge)])
    }

    /// The device that a body names.
    func deviceID(in body: JSONPath) throws(CloudError) -> DeviceID {
        try body.required("deviceID").identifier()
    }

    /// The device that the query names.
    func deviceIDInQuery() throws(CloudError) -> DeviceID {
        guard let text = request.queryValue("deviceID") else { throw .badRequest("the query needs 'deviceID'") }
        return try DeviceID(text)
    }
}

import CloudJSON
import CloudModel
import HTTPServer
import JSON
import Push
import RecordService

extension APICall {
    /// Makes a web courier and answers with its address.
    func createToken() async throws -> HTTPResponse {
        let body = try body()
        let environment = try apnsEnvironment(body)
        let address = try await scope.records.makeCourier(
            WebCourier.kind, platform: WebCourier.platform, environment, client: try client(body), for: caller)
        let token = scope.couriers.web.token(of: address)
        return JSONResponse.make([
            "apnsEnvironment": .string(environment.rawValue), "apnsToken": .string(token),
            "webcourierURL": .string("\(publicURL)\(CourierPoll.path)?tok=\(token)&ttl=\(Limits.courierSeconds)"),
        ])
    }

    /// Registers a client of a web courier.
    func registerToken() async throws -> HTTPResponse {
        let body = try body()
        let token = try body.required("apnsToken").string()
        try await scope.records.registerCourier(
            scope.couriers.address(of: token), try apnsEnvironment(body), client: try client(body), for: caller)
        return JSONResponse.make([:])
    }

    private func apnsEnvironment(_ body: JSONPath) throws(CloudError) -> APNSEnvironment {
        let name = try body.required("apnsEnvironment")
        guard let environment = APNSEnvironment(rawValue: try name.string()) else {
            throw .badRequest("\(name.path) is development or production, not '\(try name.string())'")
        }
        return environment
    }

    /// The body's `clientId`, else that of the query.
    private func client(_ body: JSONPath) throws(CloudError) -> DeviceID? {
        guard let client = body["clientId"] else { return caller.client }
        return try Credentials.client(try client.string())
    }
}

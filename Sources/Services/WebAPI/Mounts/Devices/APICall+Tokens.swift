import CloudJSON
import CloudModel
import HTTPServer
import JSON
import Push
import RecordService
import TextForms

extension APICall {
    /// Makes a web courier and answers with its address.
    func createToken() async throws -> HTTPResponse {
        let body = try body()
        let environment = try apnsEnvironment(body)
        let address = try await scope.records.makeCourier(
            WebCourierTokens.kind, platform: WebCourierTokens.platform, environment, client: try client(body),
            for: caller)
        let token = scope.courierTokens.token(of: address)
        return JSONResponse.make([
            "apnsEnvironment": .string(environment.rawValue), "apnsToken": .string(token),
            "webcourierURL": .string("\(publicURL)\(CourierPoll.path)?tok=\(token)&ttl=\(Limits.courierSeconds)"),
        ])
    }

    /// Registers a client of a web courier, or the token that APNs gave to an app on the device that `clientId` names.
    func registerToken() async throws -> HTTPResponse {
        let body = try body()
        let token = try body.required("apnsToken").string()
        if scope.courierTokens.address(of: token) == nil, let foreign = Hexadecimal.decode(token), !foreign.isEmpty {
            guard (Limits.apnsTokenBytesMin...Limits.apnsTokenBytesMax).contains(foreign.count) else {
                throw CloudError.badRequest(
                    "apnsToken has \(Limits.apnsTokenBytesMin) to \(Limits.apnsTokenBytesMax) bytes in hexadecimal, not \(foreign.count), or is one of tokens/create"
                )
            }
            guard let device = try client(body) else {
                throw CloudError.badRequest("clientId has to name the registered device that the token is of")
            }
            let address = APNSAddress(
                token: foreign, environment: try apnsEnvironment(body), topic: try body["apnsTopic"]?.string())
            _ = try await scope.records.registerPush(.apns(address), on: device, for: caller)
            return JSONResponse.make([:])
        }
        try await scope.records.registerCourier(
            scope.courierTokens.address(of: token), try apnsEnvironment(body), client: try client(body), for: caller)
        return JSONResponse.make([:])
    }

    private func apnsEnvironment(_ body: JSONPath) throws(CloudError) -> APNSEnvironment {
        try PushAddressDecoding.environment(body.required("apnsEnvironment"))
    }

    /// The body's `clientId`, else that of the query.
    private func client(_ body: JSONPath) throws(CloudError) -> DeviceID? {
        guard let client = body["clientId"] else { return caller.client }
        return try Credentials.client(try client.string())
    }
}

import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService
import TextForms

extension APICall {
    /// Registers the address to which pushes for a device are sent.
    func registerPush() async throws -> HTTPResponse {
        let body = try body()
        let device = try deviceID(in: body)
        let (kinds, secret) = try await scope.records.registerPush(
            try PushAddressDecoding.address(body, serverKey: scope.webPushKey()),
            contents: try PushAddressDecoding.contents(body), on: device, for: caller)
        var json = Self.json(device, kinds)
        if let secret { json["secret"] = .string(PushAddressDecoding.text(ofSecret: secret)) }
        return JSONResponse.make(.object(json))
    }

    /// Removes the address of a kind. DELETE names device and kind in the query.
    func removePush() async throws -> HTTPResponse {
        let (device, kind): (DeviceID, CourierKind)
        if request.method == "DELETE" {
            device = try deviceIDInQuery()
            guard let name = request.queryValue("kind") else { throw CloudError.badRequest("the query needs 'kind'") }
            kind = try PushAddressDecoding.kind(name, path: "kind")
        } else {
            let body = try body()
            device = try deviceID(in: body)
            let name = try body.required("kind")
            kind = try PushAddressDecoding.kind(try name.string(), path: name.path)
        }
        let kinds = try await scope.records.removePush(kind, on: device, for: caller)
        return JSONResponse.make(.object(Self.json(device, kinds)))
    }

    /// The key that browsers' subscriptions are made with.
    func pushKeys() async throws -> HTTPResponse {
        guard let key = scope.webPushKey() else {
            throw CloudError(.notFound, "this service sends no Web Push")
        }
        return JSONResponse.make(["applicationServerKey": .string(Base64.url.encode(key))])
    }

    private static func json(_ device: DeviceID, _ kinds: [CourierKind]) -> JSONObject {
        ["deviceID": .string(device.rawValue), "kinds": .array(kinds.map { .string($0.rawValue) })]
    }
}

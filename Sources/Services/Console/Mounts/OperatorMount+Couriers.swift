import CloudJSON
import CloudMessages
import CloudModel
import JSON
import RecordService
import WebAPI

extension OperatorMount {
    static let couriers: [OperatorEndpoint] = [
        OperatorEndpoint("couriers/list", .readsPeople) { call in
            let couriers = DeviceCouriers(call.records)
            return try await call.ofUsers("couriers") { try await couriers.list(of: $0).map { .object($0) } }
        },
        OperatorEndpoint("couriers/remove", .changes) { call in
            let device = try call.body.required("deviceID").identifier(DeviceID.self)
            return .object(
                try await DeviceCouriers(call.records).remove(try call.body.required("kind").string(), from: device))
        },
        // A request to a provider, which people may see.
        OperatorEndpoint("couriers/test", .changesInSteps) { try await $0.testCouriers() },
    ]

    static let secrets: [OperatorEndpoint] = [
        OperatorEndpoint("secrets/list", .reads, isOfService: true) { .object(try $0.secrets().list()) },
        OperatorEndpoint("secrets/rotate", .changesInSteps, isOfService: true) { .object(try $0.secrets().rotate()) },
        OperatorEndpoint("secrets/remove", .changesInSteps, isOfService: true) { call in
            .object(try call.secrets().remove(try call.body.required("name").string()))
        },
    ]
}

extension OperatorCall {
    /// Sends one push to each address of a device, or to that of a kind.
    fileprivate func testCouriers() async throws -> JSONValue {
        let device = try body.required("deviceID").identifier(DeviceID.self)
        let kind = try body["kind"].map { name throws(CloudError) in try DeviceCouriers.kind(try name.string()) }
        guard let test = system.testPushes else {
            throw CloudError(.accessDenied, "this process sends no pushes")
        }
        let entries = try await records.pushAddressEntries(of: device).filter { entry in
            kind.map { $0.rawValue == entry.kind } ?? true
        }
        guard !entries.isEmpty else { throw CloudError(.notFound, "the device '\(device)' has no such address") }
        return ["results": .array(try await test(scope.scope, entries).map { .object($0) })]
    }

    /// The key ring's file.
    fileprivate func secrets() throws(CloudError) -> SecretsFile {
        guard let secrets = system.secrets else { throw CloudError(.accessDenied, "this process has no key ring") }
        return secrets
    }
}

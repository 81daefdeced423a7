import FanfareCloudKit
import Foundation
import JSON
import TestSupport
import Testing

/// The ways to say which service a container is on.
@Suite struct ConfigurationTests {
    @Test("variables configure the default container, over a file")
    func variables() throws {
        let folder = TemporaryFolder()
        let file = folder.path("dev.json")
        try Data(#"{"url": "http://a", "container": "iCloud.a", "apiToken": "t", "user": "alice"}"#.utf8)
            .write(to: URL(fileURLWithPath: file))
        let variables = ["FANFARE_CLIENT_CONFIGURATION": file, "FANFARE_URL": "http://b", "FANFARE_DEVICE": "phone"]
        let configuration = try CKContainer.Configuration(environment: variables)
        #expect(configuration.url == "http://b" && configuration.containerIdentifier == "iCloud.a")
        #expect(configuration.apiToken == "t" && configuration.deviceID == "phone")
        #expect(configuration.environment == .development)
        if case .developmentUser(let user) = configuration.signIn { #expect(user == "alice") } else { Issue.record() }
    }

    @Test(
        "a missing setting is named",
        arguments: [
            ([:], "FANFARE_URL"), (["FANFARE_URL": "http://a"], "FANFARE_CONTAINER"),
            (["FANFARE_URL": "http://a", "FANFARE_ENVIRONMENT": "test"], "'test'"),
            (["FANFARE_CLIENT_CONFIGURATION": "/nowhere"], "/nowhere"),
        ] as [([String: String], String)])
    func missing(variables: [String: String], name: String) throws {
        let error = #expect(throws: CKError.self) { try CKContainer.Configuration(environment: variables) }
        #expect(error?.code == .badContainer && error?.localizedDescription.contains(name) == true)
    }

    @Test("a device is made once for a user, and remembered")
    func devices() async throws {
        let devices = try await Devices()
        var configuration = devices.configuration()
        configuration.signIn = .developmentUser(devices.name("alice"))
        let first = try await CKContainer(configuration: configuration).registerDevice()
        #expect(try await CKContainer(configuration: configuration).registerDevice() == first)
        configuration.signIn = .developmentUser(devices.name("bob"))
        #expect(try await CKContainer(configuration: configuration).registerDevice() != first)
    }

    @Test("the token that the system gives an app is registered for its device, and is one device's at a time")
    func deviceTokens() async throws {
        let devices = try await Devices()
        let token = Data((0..<32).map { UInt8(truncatingIfNeeded: $0 &+ devices.unique.hashValue) })
        let phone = devices.device("phone", of: "alice")
        try await phone.register(deviceToken: token, environment: .production, topic: "com.example.app")
        try await phone.register(deviceToken: token, environment: .production, topic: "com.example.app")
        try await devices.device("pad", of: "bob").register(deviceToken: token)
        let error = await #expect(throws: CKError.self) { try await phone.register(deviceToken: token.prefix(31)) }
        #expect(error?.code == .invalidArguments)
    }

    @Test("the time-outs of a configuration hold for calls and operations, and an operation's own go before them")
    func configured() async throws {
        let devices = try await Devices()
        let network = PatientTransport()
        let container = devices.device(transport: network)
        _ = try await container.userRecordID()
        let configuration = CKOperation.Configuration()
        configuration.timeoutIntervalForRequest = 17
        configuration.qualityOfService = .userInitiated
        func asked(_ work: (CKContainer) async throws -> Void) async throws -> Duration? {
            try await container.configuredWith(configuration: configuration) { try await work($0) }
            return network.patience.value
        }
        func operate(_ container: CKContainer, _ own: Double?) async throws {
            let operation = CKFetchRecordZonesOperation(recordZoneIDs: [.default])
            if let own { operation.configuration.timeoutIntervalForRequest = own }
            try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
                operation.fetchRecordZonesResultBlock = { ended.resume(with: $0) }
                container.privateCloudDatabase.add(operation)
            }
        }
        #expect(try await asked { _ = try await $0.privateCloudDatabase.allRecordZones() } == .seconds(17))
        #expect(try await asked { _ = try await $0.userRecordID() } == .seconds(17))
        #expect(try await asked { try await operate($0, nil) } == .seconds(17))
        #expect(try await asked { try await operate($0, 9) } == .seconds(9))
        _ = try await container.privateCloudDatabase.allRecordZones()
        #expect(network.patience.value == .seconds(60))
        // A call that may take no time at all is over before it has begun.
        configuration.timeoutIntervalForResource = 0
        network.isSilent.update { $0 = true }
        let error = await #expect(throws: CKError.self) {
            try await container.privateCloudDatabase.configuredWith(configuration: configuration) {
                try await $0.allRecordZones()
            }
        }
        #expect(error?.code == .operationCancelled)
    }

    @Test("a sign-out is reported to observers of the account")
    func accountChanged() async throws {
        let container = try await Devices().device()
        _ = try await container.userRecordID()
        let (calls, call) = AsyncStream<Void>.makeStream()
        let observer = NotificationCenter.default.addObserver(
            forName: .CKAccountChanged, object: nil, queue: nil
        ) { _ in call.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        try await container.signOut()
        try await within { for await _ in calls { break } }
    }

    @Test("a sign-out ends the pushes to this device alone, and needs no registered device")
    func signedOutTokens() async throws {
        let devices = try await Devices()
        let (phone, pad) = (devices.device("phone"), devices.device("pad"))
        for device in [phone, pad] {
            try await device.register(deviceToken: Data((0..<32).map { _ in .random(in: .min ... .max) }))
        }
        let anonymous = CloudService(
            url: devices.system.url, scope: devices.system.scope, apiToken: devices.system.apiToken,
            transport: URLSessionTransport())
        let alice = try await anonymous.signedIn(as: devices.name("alice")).client
        func kinds() async throws -> [String: Int] {
            let all = try await alice.get("device", "devices/list")["devices"]?.array ?? []
            return Dictionary(
                all.map { ($0["deviceID"]?.string?.prefix(3).description ?? "", $0["push"]?.array?.count ?? 0) },
                uniquingKeysWith: +)
        }
        #expect(try await kinds() == ["pho": 1, "pad": 1])
        try await phone.signOut()
        #expect(try await kinds() == ["pho": 0, "pad": 1])
        try await devices.device("watch").signOut()
    }

    @Test("a web auth token of one client signs another in")
    func webAuthToken() async throws {
        let devices = try await Devices()
        let container = devices.device()
        let token = try await within {
            await withCheckedContinuation { (ended: CheckedContinuation<String?, Never>) in
                let operation = CKFetchWebAuthTokenOperation(apiToken: "")
                operation.fetchWebAuthTokenCompletionBlock = { token, _ in ended.resume(returning: token) }
                container.privateCloudDatabase.add(operation)
            }
        }
        var configuration = devices.configuration()
        configuration.signIn = .webAuthToken(try #require(token))
        let other = CKContainer(configuration: configuration)
        #expect(try await other.userRecordID() == container.userRecordID())
    }
}

/// A network that keeps the patience of the last request, and may answer nothing until it is cancelled.
private final class PatientTransport: FanfareTransport {
    let patience = Guarded<Duration?>(nil)
    let isSilent = Guarded(false)
    private let transport = URLSessionTransport()

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        patience.update { $0 = request.timeout }
        if isSilent.value {
            let silence = AsyncStream<Void> { _ in }
            for await _ in silence {}
            try Task.checkCancellation()
        }
        return try await transport.send(request)
    }

    func stream(_ request: FanfareRequest) async throws -> FanfareStream { try await transport.stream(request) }
}

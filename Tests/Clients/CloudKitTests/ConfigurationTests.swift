import FanfareCloudKit
import Foundation
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
        "what is missing is named",
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

import JSON
import Testing

@Suite("5.10 Users") struct UserTests {
    @Test(
        "5.10 users/caller and the older users/current name the caller", arguments: ["users/caller", "users/current"])
    func caller(endpoint: String) async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.get(endpoint, in: "public")
        #expect(reply.status == 200 && reply.json["userRecordName"]?.string == user.recordName, "\(reply)")
    }

    @Test("5.2 users are asked for under the public database", arguments: ["private", "shared"])
    func otherDatabases(database: String) async throws {
        let user = try await ConformanceService.shared().user()
        expect(try await user.get("users/caller", in: database), 400, "BAD_REQUEST")
    }

    @Test("5.2 users/caller needs a signed-in user")
    func anonymous() async throws {
        let anonymous = try await ConformanceService.shared().anonymous()
        expect(try await anonymous.get("users/caller", in: "public"), 421, "AUTHENTICATION_REQUIRED")
    }

    @Test("5.10 users/lookup/id finds a user by record name")
    func lookupByID() async throws {
        let service = try await ConformanceService.shared()
        let (one, two) = (try await service.user(), try await service.user())
        try await Self.beFound(two)
        let nobody = "_00000000000000000000000000000000"
        let reply = try await one.post(
            "users/lookup/id", in: "public",
            ["users": [["userRecordName": .string(two.recordName)], ["userRecordName": .string(nobody)]]])
        #expect(reply.items("users").first?["userRecordName"]?.string == two.recordName, "\(reply)")
        #expect(reply.items("users").last?.code == "NOT_FOUND")
    }

    @Test("5.10 users/discover finds those whom a lookup names, and leaves the others out")
    func discover() async throws {
        let service = try await ConformanceService.shared()
        let (one, two) = (try await service.user(), try await service.user())
        try await Self.beFound(two)
        let reply = try await one.post(
            "users/discover", in: "public",
            [
                "lookupInfos": [
                    ["userRecordName": .string(two.recordName)], ["emailAddress": "nobody@nowhere.example"],
                ]
            ])
        #expect(reply.items("users").map { $0["userRecordName"]?.string } == [two.recordName], "\(reply)")
    }

    /// CloudKit asks the user on the device; here the client says it.
    private static func beFound(_ user: Visitor) async throws {
        let reply = try await user.post("users/discoverable", in: "public", ["isDiscoverable": true])
        #expect(reply.status == 200, "\(reply)")
    }

    @Test("5.10 a user who has not allowed it is not found")
    func undiscoverable() async throws {
        let service = try await ConformanceService.shared()
        let (one, two) = (try await service.user(), try await service.user())
        let reply = try await one.post(
            "users/lookup/id", in: "public", ["users": [["userRecordName": .string(two.recordName)]]])
        #expect(reply.items("users").map(\.code) == ["NOT_FOUND"], "\(reply)")
    }

    @Test("5.10 users/lookup/email answers for each address")
    func lookupByEmail() async throws {
        let user = try await ConformanceService.shared().user()
        let reply = try await user.post(
            "users/lookup/email", in: "public", ["users": [["emailAddress": "nobody@nowhere.example"]]])
        #expect(reply.items("users").map(\.code) == ["NOT_FOUND"], "\(reply)")
    }
}

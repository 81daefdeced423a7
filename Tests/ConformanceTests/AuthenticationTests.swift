import JSON
import Testing

@Suite("5.14 Authentication") struct AuthenticationTests {
    private func zones(_ service: ConformanceService, _ query: String) async throws -> Reply {
        try await service.send("GET", service.path("zones/list", in: "private") + query, nil, headers: [])
    }

    @Test("5.13 a request without credentials is refused")
    func none() async throws {
        let reply = try await zones(try await ConformanceService.shared(), "")
        #expect([400, 401, 421].contains(reply.status), "\(reply)")
    }

    @Test("5.14 an API token that is none is AUTHENTICATION_FAILED")
    func wrongAPIToken() async throws {
        let token = String(repeating: "0", count: 64)
        expect(
            try await zones(try await ConformanceService.shared(), "?ckAPIToken=\(token)"), 401, "AUTHENTICATION_FAILED"
        )
    }

    @Test("5.14 an API token alone reads the public database and no other", arguments: ["private", "shared"])
    func apiTokenAlone(database: String) async throws {
        let anonymous = try await ConformanceService.shared().anonymous()
        let lookup: JSONValue = ["records": [["recordName": "none"]]]
        #expect(try await anonymous.post("records/lookup", in: "public", lookup).status == 200)
        expect(try await anonymous.post("records/lookup", in: database, lookup), 421, "AUTHENTICATION_REQUIRED")
    }

    @Test("5.13 where a user has to sign in, redirectURL is the page to do so on")
    func redirectURL() async throws {
        let service = try await ConformanceService.shared()
        let reply = try await service.anonymous().get("users/caller", in: "public")
        expect(reply, 421, "AUTHENTICATION_REQUIRED")
        let address = try #require(reply.json["redirectURL"]?.string, "\(reply)")
        let path = try #require(address.firstRange(of: "/auth/1/")).lowerBound
        let page = try await service.send("GET", String(address[path...]), nil, headers: [])
        #expect(page.status == 200 && page.header("Content-Type")?.hasPrefix("text/html") == true, "\(page)")
        let reader = try await service.anonymous().post("records/lookup", in: "public", ["records": []])
        #expect(reader.json["redirectURL"] == nil)
    }

    @Test("5.14 a web auth token that is none is AUTHENTICATION_FAILED")
    func wrongWebAuthToken() async throws {
        var user = try await ConformanceService.shared().user()
        user.webAuthToken = "x" + (user.webAuthToken ?? "")
        expect(try await user.get("zones/list"), 401, "AUTHENTICATION_FAILED")
    }

    @Test("5.14 an earlier web auth token stays good")
    func earlierToken() async throws {
        let user = try await ConformanceService.shared().user()
        for _ in 0..<3 { #expect(try await user.get("zones/list").status == 200) }
    }
}

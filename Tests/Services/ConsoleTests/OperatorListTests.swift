import CloudModel
import Identity
import RecordStore
import Testing

@testable import Console

/// The operators that the settings name.
@Suite struct OperatorListTests {
    private static func operating(
        _ list: OperatorList, email: String?, subject: String = "s", roles: [String] = []
    ) throws -> Operator {
        var claims = IdentityClaims(email: email, givenName: nil, familyName: nil)
        claims.roles = roles
        return try list.operating(UserIdentity(issuer: "https://id.example", subject: subject), claims)
    }

    @Test("addresses and subjects have the role that the settings give, in any case of letters, and others have none")
    func entries() throws {
        let list = OperatorList(
            ["Anna@example.com=operator", "ben@example.com=viewer", "https://id.example#7=viewer"], claim: "")
        #expect(try Self.operating(list, email: "anna@EXAMPLE.com").role == .operator)
        #expect(try Self.operating(list, email: "ben@example.com").role == .viewer)
        let subject = try Self.operating(list, email: nil, subject: "7")
        #expect(subject.role == .viewer && subject.name == "https://id.example#7")
        // The provider leaves out an address that it has not verified.
        for email in [nil, "eve@example.com", "anna@example.com.evil.example"] {
            #expect(throws: CloudError.self) { try Self.operating(list, email: email, roles: ["operator"]) }
        }
    }

    @Test("an entry may give its role in one container or one environment alone, and entries of one person add up")
    func places() throws {
        let list = OperatorList(
            [
                "anna@example.com=viewer", "Anna@example.com=operator:iCloud.a/development",
                "ben@example.com=viewer:iCloud.a",
            ],
            claim: "")
        func scope(_ container: String, _ environment: CloudEnvironment) -> ContainerEnvironment {
            ContainerEnvironment(container: ContainerIdentifier(trusted: container), environment: environment)
        }
        let anna = try Self.operating(list, email: "anna@example.com")
        #expect(anna.role(in: scope("iCloud.a", .development)) == .operator && anna.role == .operator)
        #expect(anna.role(in: scope("iCloud.a", .production)) == .viewer && anna.serviceRole == .viewer)
        let ben = try Self.operating(list, email: "ben@example.com")
        #expect(ben.role(in: scope("iCloud.a", .production)) == .viewer && ben.serviceRole == nil)
        #expect(ben.role(in: scope("iCloud.a.b", .production)) == nil)
    }

    @Test("a claim gives a role to people with a verified address that the settings do not name")
    func claim() throws {
        let list = OperatorList(["ben@example.com=viewer"], claim: "groups")
        #expect(
            try Self.operating(list, email: "eve@example.com", roles: ["x", "operator", "viewer"]).role == .operator)
        #expect(try Self.operating(list, email: "eve@example.com", roles: ["viewer"]).role == .viewer)
        #expect(try Self.operating(list, email: "ben@example.com", roles: ["operator"]).role == .viewer)
        #expect(throws: CloudError.self) { try Self.operating(list, email: nil, roles: ["operator"]) }
        #expect(throws: CloudError.self) { try Self.operating(list, email: "eve@example.com", roles: ["admin"]) }
    }

    @Test(
        "an entry is an address or ISSUER#SUBJECT with a role",
        arguments: [
            ("a@b=operator", true), ("https://i#s=viewer", true), ("a@b=c@d=viewer", true), ("a@b", false),
            ("a@b=admin", false), ("anna=operator", false), ("=operator", false), ("", false),
            ("a@b=operator:iCloud.a", true), ("a@b=operator:iCloud.a/production", true), ("a@b=operator:", false),
            ("a@b=operator:iCloud.a/", false), ("a@b=operator:iCloud.a/staging", false), ("a@b=operator:i a", false),
            ("a@b=operator:iCloud.a/production/x", false), ("a@b=admin:iCloud.a", false),
        ])
    func form(text: String, isEntry: Bool) { #expect((OperatorList.entry(text) != nil) == isEntry) }
}

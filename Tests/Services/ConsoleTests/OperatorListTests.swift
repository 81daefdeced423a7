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
        ])
    func form(text: String, isEntry: Bool) { #expect((OperatorList.entry(text) != nil) == isEntry) }
}

import CloudModel
import Identity
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// Addresses are compared without regard to the case of ASCII letters, and in nothing else.
@Suite struct AddressFormTests {
    private static let address = "kim.office@corp.example"

    private func prove(_ rig: RecordServiceRig, _ subject: String, _ address: String?) async throws -> Caller {
        Caller(
            user: try await rig.identity.user(
                UserIdentity(issuer: "i", subject: subject),
                IdentityClaims(email: address, givenName: subject, familyName: nil)))
    }

    private func email(_ rig: RecordServiceRig, _ caller: Caller) async throws -> String? {
        try await rig.service.currentUser(for: caller).email
    }

    /// Alice invites addresses to a zone; the short GUID.
    private func invite(_ rig: RecordServiceRig, _ addresses: String..., zone: GivenZone = "z") async throws -> String {
        _ = try await rig.zone(.create, zone)
        var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            participants: addresses.map { .init(person: .emailAddress($0), permission: .readWrite) })
        let outcome = try await rig.apply(operation, in: .private, zone: zone)
        return try #require(outcome.record?.shareDetails?.shortGUID, "\(outcome)")
    }

    private func accepts(_ rig: RecordServiceRig, _ guid: String, _ caller: Caller) async throws -> Bool {
        if case .success = try await rig.service.acceptShares([guid], for: caller)[0] { return true }
        return false
    }

    /// Letters that fold to ASCII ones, or are drawn like them: each is another address.
    static let likenesses = [
        "\u{212A}im.office@corp.example", "k\u{130}m.office@corp.example", "k\u{131}m.office@corp.example",
        "kim.o\u{FB03}ce@corp.example", "\u{FF4B}im.office@corp.example", "\u{43A}im.office@corp.example",
        "kim.office@corp.e\u{445}ample",
    ]

    @Test("an address that only looks or folds like another one takes over nothing", arguments: likenesses)
    func likeness(_ other: String) async throws {
        let rig = try await RecordServiceRig()
        let guid = try await invite(rig, Self.address)
        let stranger = try await prove(rig, "stranger", other)
        #expect(try await !accepts(rig, guid, stranger))
        let kim = try await prove(rig, "kim", "Kim.Office@CORP.example")
        #expect(try await email(rig, kim) == Self.address)
        // A later user takes nothing either.
        let later = try await prove(rig, "later", other)
        #expect(later.user != kim.user && stranger.user != kim.user)
        #expect(try await email(rig, kim) == Self.address)
        #expect(try await accepts(rig, guid, kim))
        // An invitation to the other address is none of Kim's.
        let theirs = try await invite(rig, other, zone: "y")
        #expect(try await !accepts(rig, theirs, kim))
        #expect(try await accepts(rig, theirs, later))
    }

    @Test("an address that only looks like another one finds nobody by it", arguments: likenesses)
    func lookUp(_ other: String) async throws {
        let rig = try await RecordServiceRig()
        let kim = try await prove(rig, "kim", Self.address)
        try await rig.service.setDiscoverable(true, for: kim)
        #expect(try await rig.service.lookUpUsers([.email(other)], for: rig.bob) == [nil])
        let found = try await rig.service.lookUpUsers([.email("KIM.office@Corp.Example")], for: rig.bob)
        #expect(found.map { $0?.name } == [kim.user])
        #expect(try await rig.identity.users(named: other).isEmpty)
        #expect(try await rig.identity.users(named: Self.address.uppercased()) == [kim.user!])
    }

    /// Swift takes composed and decomposed letters for equal; the store does not.
    @Test("two addresses that differ in the composition of a letter are two people")
    func composition() async throws {
        let rig = try await RecordServiceRig()
        let (composed, decomposed) = ("jos\u{E9}@corp.example", "jose\u{301}@corp.example")
        let guid = try await invite(rig, composed, decomposed)
        let one = try await prove(rig, "one", composed)
        let two = try await prove(rig, "two", decomposed)
        #expect(one.user != two.user)
        for user in [one, two] { #expect(try await accepts(rig, guid, user)) }
        #expect(try await email(rig, one)?.unicodeScalars.count == composed.unicodeScalars.count)
        #expect(try await email(rig, two)?.unicodeScalars.count == decomposed.unicodeScalars.count)
        // A user whose address changes from one to the other has changed it.
        let third = try await invite(rig, composed, zone: "y")
        _ = try await prove(rig, "one", "other@corp.example")
        let heir = try await prove(rig, "heir", composed)
        #expect(try await !accepts(rig, third, heir))
        #expect(try await accepts(rig, third, one))
    }

    @Test("a sign-in by name takes no address that a provider verified")
    func names() async throws {
        let rig = try await RecordServiceRig()
        let kim = try await prove(rig, "kim", Self.address)
        let guid = try await invite(rig, Self.address)
        for name in [Self.address, "KIM.OFFICE@corp.example"] {
            let user = Caller(user: try await rig.identity.signInForDevelopment(as: name))
            #expect(user.user != kim.user)
            #expect(try await email(rig, user) == nil)
            #expect(try await !accepts(rig, guid, user))
        }
        #expect(try await email(rig, kim) == Self.address)
        #expect(try await accepts(rig, guid, kim))
        // One that nobody verified is the name's, until somebody does.
        let ada = Caller(user: try await rig.identity.signInForDevelopment(as: "Ada@corp.example"))
        #expect(try await email(rig, ada) == "ada@corp.example")
        let verified = try await prove(rig, "ada", "ADA@corp.example")
        #expect(try await email(rig, verified) == "ada@corp.example")
        #expect(try await email(rig, ada) == nil)
        _ = try await rig.identity.signInForDevelopment(as: "Ada@corp.example")
        #expect(try await email(rig, verified) == "ada@corp.example")
        #expect(try await email(rig, ada) == nil)
    }

    static let controls = ["\n", "\r\n", "\t", "\u{0}", "\u{7F}", "\u{85}", "\u{1B}]0;x\u{7}", "\u{2028}", "\u{2029}"]

    @Test("an address with a control character or a line end is refused by every door", arguments: controls)
    func controlCharacters(_ text: String) async throws {
        let rig = try await RecordServiceRig()
        for address in ["a\(text)b@corp.example", "a@corp.example\(text)", "\(text)a@corp.example"] {
            await expect(code: .badRequest) { try await rig.identity.signInForDevelopment(as: address) }
            await expect(code: .authenticationFailed) { try await prove(rig, "s", address) }
            await expect(code: .badRequest) { try await rig.service.lookUpUsers([.email(address)], for: rig.bob) }
            _ = try await rig.zone(.create, "z")
            var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
            operation.recordType = .share
            operation.share = GivenShare(participants: [.init(person: .emailAddress(address), permission: .readOnly)])
            #expect(try await rig.apply(operation, in: .private, zone: "z").code == .badRequest)
        }
        #expect(try await rig.identity.users(named: "s").isEmpty)
    }
}

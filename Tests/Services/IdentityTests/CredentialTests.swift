import CloudModel
import RecordStore
import TestSupport
import Testing
import Waiting

@testable import Identity

/// API tokens, keys and sessions: as they are found, remembered and taken back.
@Suite struct CredentialTests {
    /// What a process found out is good for a second at most; another one takes it back.
    @Test("a callback is a whole address, and pages of its origin may use the token")
    func callbacks() async throws {
        let rig = try await IdentityRig()
        let address = "https://a.example/done?x=1"
        let token = try await rig.identity.makeAPIToken(note: "web", callbacks: [address])
        let known = try #require(try await rig.identity.apiToken(token))
        #expect(known.callbacks == [address] && known.origins == ["https://a.example"])
        #expect(known.allows("https://a.example") && !known.allows("https://b.example"))
        for text in [
            "https://a.example", "a.example/x", "https://a.example/x#y", "https://A.example/x", "ftp://a.example/",
            "https://a.example/ x", "https://u@a.example/", "https://a.example:443/", "https://a.example\\/x",
            "https://a.example/" + String(repeating: "x", count: 1100), "https://a.example?x", "",
        ] {
            #expect(throws: CloudError.self) { try APIToken.callback(text) }
        }
    }

    @Test func revocationsApplyWithinASecond() async throws {
        let rig = try await IdentityRig()
        let service = rig.identity
        let other = rig.another()
        let token = try await service.makeAPIToken(note: "n")
        let (keyID, _) = try await service.makeServerKey(note: "k")
        let session = try await service.beginSession(of: rig.alice, isBrief: false)
        func standing() async throws -> [Bool] {
            var isGood = true
            do { try await service.check(session) } catch { isGood = false }
            return [try await service.apiToken(token) != nil, try await service.hasServerKey(keyID), isGood]
        }
        #expect(try await standing() == [true, true, true])
        _ = try await other.revokeAPIToken(token)
        try await other.revokeServerKey(keyID)
        try await other.endSessions(of: rig.alice)
        rig.move(by: .seconds(1))
        #expect(try await standing() == [false, false, false])
        await expect(code: .notFound) { try await other.revokeAPIToken(token) }
        await expect(code: .notFound) { try await other.revokeServerKey(keyID) }
    }

    /// The revocation of a session goes when its token has expired, and a wrong clock makes no token good again.
    @Test("a session that was ended stays ended when the calendar leaps by years and back")
    func endedSessionsSurviveLeaps() async throws {
        let rig = try await IdentityRig()
        let session = try await rig.identity.beginSession(of: rig.alice, isBrief: false)
        try await rig.identity.end(session, until: Timestamp(milliseconds: 1_700_000_000_000 + 30 * 86_400_000))
        let years = Duration.seconds(20 * 365 * 86_400)
        for leap in [years, .zero - years, .zero - years, years] {
            rig.leap(by: leap)
            try await rig.identity.removeEndedSessions()
            rig.move(by: .seconds(2))
        }
        await #expect(throws: CloudError.self) { try await rig.identity.check(session) }
    }

    /// A digest, as the list shows it, is as good as the token to the operator, and is no token to anybody.
    @Test func tokensAreListedByDigestAlone() async throws {
        let rig = try await IdentityRig()
        let token = try await rig.identity.makeAPIToken(note: "web", origins: ["https://a.example"])
        let listed = try await rig.identity.listAPITokens()
        #expect(listed.map(\.note) == ["web"] && listed[0].origins == ["https://a.example"] && listed[0].id != token)
        #expect(try await rig.identity.apiToken(listed[0].id) == nil)
        _ = try await rig.identity.revokeAPIToken(listed[0].id)
        #expect(try await rig.identity.apiToken(token) == nil, "in this process at once")
    }

    /// Nobody fills the memory with names, and one user's ends do not cost another's.
    @Test func theCacheIsBounded() async throws {
        let rig = try await IdentityRig()
        for number in 0..<50 { #expect(try await rig.identity.apiToken("unknown-\(number)") == nil) }
        let tokens = rig.identity.cache.withLock { cache in cache.tokens.count }
        #expect(tokens == 0)
        let session = try await rig.identity.beginSession(of: rig.bob, isBrief: false)
        try await rig.identity.check(session)
        for _ in 0...Limits.endedSessionsMax {
            let own = try await rig.identity.beginSession(of: rig.alice, isBrief: false)
            try await rig.identity.end(own, until: Timestamp(milliseconds: .max))
            let bobs = rig.identity.cache.withLock { cache in cache.accounts[rig.bob] }
            #expect(bobs != nil)
        }
        let account = try await rig.identity.store.read { try $0.account(of: rig.alice) }
        #expect(account?.endedSessions.isEmpty == true && account?.sessionEpoch == 1, "of too many, all end")
        try await rig.identity.check(session)
    }
}

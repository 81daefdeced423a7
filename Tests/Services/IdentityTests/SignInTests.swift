import CloudMessages
import CloudModel
import Cryptography
import ProtocolBuffers
import TestSupport
import Testing

@testable import Identity

@Suite struct SignInTests {
    @Test func aUserSignsInUnderOneName() async throws {
        let rig = try await IdentityRig()
        let first = try await rig.identity.signInForDevelopment(as: "carol")
        #expect(try await rig.identity.signInForDevelopment(as: "carol") == first)
        #expect(try await rig.identity.signInForDevelopment(as: "Carol") != first)
        #expect(try UserRecordName(first.rawValue) == first)
        for name in ["", "a\u{0}b", String(repeating: "x", count: 256), String(repeating: "ü", count: 128)] {
            await expect(code: .badRequest) { try await rig.identity.signInForDevelopment(as: name) }
        }
        let names = try await withThrowingTaskGroup(of: UserRecordName.self) { group in
            for _ in 0..<20 { group.addTask { try await rig.identity.signInForDevelopment(as: "dave") } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(names.count == 1)
    }

    @Test func signingInByNameCanBeOff() async throws {
        let rig = try await IdentityRig(signIn: false)
        await expect(code: .accessDenied) { try await rig.identity.signInForDevelopment(as: "alice") }
    }

    @Test func apiTokensAreKnownByTheirDigest() async throws {
        let rig = try await IdentityRig()
        let token = try await rig.identity.makeAPIToken(note: "n")
        #expect(token.utf8.count == 64 && token.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        #expect(try await rig.identity.apiToken(token) != nil)
        #expect(try await rig.identity.apiToken(token) != nil)
        for other in ["", token.uppercased(), String(token.dropLast()), token + "0"] {
            #expect(try await rig.identity.apiToken(other) == nil)
        }
        #expect(try await IdentityRig(.production).identity.apiToken(token) == nil)
        try await rig.identity.addAPIToken(token, note: "again")
    }

    @Test func aWebAuthTokenIsOneUsersInOneEnvironmentForAWhile() throws {
        let ring = KeyRing.generate()
        let tokens = WebAuthTokens(ring, lifetime: .seconds(60))
        let user = UserRecordName.sample("a")
        let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.a"), environment: .development)
        let now = Timestamp(milliseconds: 1_000_000)
        let (token, expires) = tokens.make(for: user, in: scope, at: now)
        #expect(expires.milliseconds == 1_060_000)
        #expect(tokens.make(for: user, in: scope, at: now).token != token)
        func code(
            _ token: String, _ scope: ContainerEnvironment, _ time: Int64, _ tokens: WebAuthTokens
        ) -> CloudErrorCode? {
            do throws(CloudError) {
                let found = try tokens.user(of: token, in: scope, at: Timestamp(milliseconds: time))
                #expect(found == user)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(token, scope, 1_000_000, tokens) == nil)
        #expect(code(token, scope, 1_059_999, tokens) == nil)
        #expect(code(token, scope, 1_060_000, tokens) == .authenticationFailed)
        var other = scope
        other.environment = .production
        #expect(code(token, other, 1_000_000, tokens) == .authenticationFailed)
        other = scope
        other.container = ContainerIdentifier(trusted: "iCloud.b")
        #expect(code(token, other, 1_000_000, tokens) == .authenticationFailed)
        let strangers = WebAuthTokens(KeyRing.generate(), lifetime: .seconds(60))
        #expect(code(token, scope, 1_000_000, strangers) == .authenticationFailed)
        for text in ["", "x", String(token.dropLast()), token + "A", ring.seal([1], purpose: "web-auth/1")] {
            #expect(code(text, scope, 1_000_000, tokens) == .authenticationFailed)
        }
    }

    @Test func briefSessionsLastHalfAnHour() throws {
        let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: "c"), environment: .development)
        let user = UserRecordName(trusted: "_u")
        let start = Timestamp(milliseconds: 1000)
        let tokens = WebAuthTokens(KeyRing.generate(), lifetime: .seconds(14 * 86_400))
        let kept = tokens.make(for: user, in: scope, at: start)
        let brief = tokens.make(for: user, in: scope, at: start, isBrief: true)
        #expect(kept.expires.milliseconds == 1000 + 14 * 86_400_000)
        #expect(brief.expires.milliseconds == 1000 + 1_800_000)
        #expect(try tokens.session(of: kept.token, in: scope, at: start).isBrief == false)
        #expect(try tokens.session(of: brief.token, in: scope, at: start).isBrief)
        // Never longer than what the setting says.
        let short = WebAuthTokens(KeyRing.generate(), lifetime: .seconds(60))
        #expect(short.make(for: user, in: scope, at: start, isBrief: true).expires.milliseconds == 61_000)
    }

    /// Whatever times a token says, under a true seal: one without an end is as good as one with a late end (found by
    /// the fuzzer).
    @Test(arguments: [Int64.max, .max - 1, .min, 0]) func timesOfATokenMayBeAny(signedIn: Int64) throws {
        let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: "c"), environment: .development)
        let ring = KeyRing.generate()
        let tokens = WebAuthTokens(ring, lifetime: .seconds(60))
        let message = WebAuthTokenMessage(
            container: "c", environment: "development", user: "_u", expires: .max, signedIn: signedIn)
        let token = ring.seal(message.encoded(), purpose: "web-auth/1")
        let now = Timestamp(milliseconds: 1_700_000_000_000)
        let user = try? tokens.user(of: token, in: scope, at: now)
        #expect(user?.rawValue == (signedIn > 0 ? "_u" : nil))
    }

    @Test func nobodySignsInToProductionByName() async throws {
        let rig = try await IdentityRig(.production, signIn: true)
        await expect(code: .accessDenied) { try await rig.identity.signInForDevelopment(as: "alice") }
    }
}

import CloudMessages
import CloudModel
import Cryptography
import HTTPClient
import Identity
import JSON
import RecordService
import TestSupport
import Testing

/// Sessions and their ends.
@Suite struct SessionTests {
    private static func status(_ bench: WebBench, _ user: WebBench.SignedIn) async throws -> Int {
        try await bench.send("GET", bench.database("users/caller"), user: user).status
    }

    private static func signOut(_ bench: WebBench, _ user: WebBench.SignedIn, _ body: String?) async throws -> Answer {
        try await bench.send(
            "POST", bench.signInPath.replacing("signin", with: "signout"), body: body, user: user)
    }

    /// The token that an answer hands out goes on with the session of the request's.
    private static func renewed(_ bench: WebBench, _ user: WebBench.SignedIn) async throws -> WebBench.SignedIn {
        let answer = try await bench.send("GET", bench.database("users/caller"), user: user)
        var next = user
        next.token = try #require(answer.headers["X-Apple-CloudKit-Web-Auth-Token"])
        return next
    }

    @Test func signingOutEndsTheSessionWithAllItsTokens() async throws {
        try await WebBench.run { bench in
            let first = try await bench.signIn("alice")
            let later = try await Self.renewed(bench, try await Self.renewed(bench, first))
            let other = try await bench.signIn("alice")
            #expect(later.token != first.token)
            let answer = try await Self.signOut(bench, later, nil)
            #expect(answer.json["signedOut"] == true && answer.json["userRecordName"]?.string == first.name)
            #expect(answer.headers["X-Apple-CloudKit-Web-Auth-Token"] == nil)
            for user in [first, later] {
                expect(
                    try await bench.send("GET", bench.database("users/caller"), user: user), .authenticationFailed)
                expect(try await Self.signOut(bench, user, nil), .authenticationFailed)
            }
            #expect(try await Self.status(bench, other) == 200)
            #expect(
                try await Self.signOut(bench, try await bench.signIn("alice"), #"{"everywhere": true}"#).status == 200)
            #expect(try await Self.status(bench, other) == 401)
            #expect(try await Self.status(bench, try await bench.signIn("alice")) == 200)
        }
    }

    @Test func blockedUsersAreShutOutUntilTheyAreLetIn() async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let bob = try await bench.signIn("bob")
            let name = UserRecordName(trusted: alice.name)
            try await bench.system.identity.setBlocked(true, name)
            #expect(try await Self.status(bench, alice) == 401)
            expect(try await bench.send("POST", bench.signInPath, body: #"{"user": "alice"}"#), .accessDenied)
            #expect(try await Self.status(bench, bob) == 200)
            try await bench.system.identity.setBlocked(false, name)
            #expect(try await Self.status(bench, alice) == 401, "what was ended stays so")
            #expect(try await Self.status(bench, try await bench.signIn("alice")) == 200)
        }
    }

    /// A stream that has sent one event, and a poll that waits for the next.
    private static func waiting(
        _ bench: WebBench, _ alice: WebBench.SignedIn
    ) async throws -> (events: EventReader, poll: Task<Answer, any Error>) {
        try await bench.register("phone", alice)
        let stream = try await bench.stream([("deviceID", "phone")], user: alice)
        try await bench.subscribe(alice)
        try await bench.save("r", user: try await bench.signIn("bob"))
        var events = EventReader(stream)
        while let event = try await events.next(), event.name != "notification" {}
        let token = try await bench.changes("phone", alice).json["serverChangeToken"]?.string
        let poll = Task { try await bench.changes("phone", alice, after: token, ["waitSeconds": 60]) }
        try await eventually("the stream and the poll") { bench.waiting == (1, 1) }
        // What the poll does before it waits, another request has done, too.
        #expect(try await bench.changes("phone", alice, after: token).json["notifications"]?.array?.isEmpty == true)
        return (events, poll)
    }

    @Test(arguments: ["sign-out", "block", "delete"])
    func pollsEndWithTheSession(how: String) async throws {
        try await WebBench.run { bench in
            let alice = try await bench.signIn("alice")
            let name = UserRecordName(trusted: alice.name)
            var (events, poll) = try await Self.waiting(bench, alice)
            switch how {
            case "sign-out": #expect(try await Self.signOut(bench, alice, nil).status == 200)
            case "block": try await bench.system.identity.setBlocked(true, name)
            default: try await bench.system.identity.removeUser(name)
            }
            expect(try await poll.value, .authenticationFailed)
            let end = try await events.next()
            // Also where a user is deleted, whose feed may be gone first.
            #expect(
                end?.name == "error" && end?.json["serverErrorCode"] == "AUTHENTICATION_FAILED", "\(end as Any)")
            let after = try await events.next()
            #expect(after == nil)
        }
    }

    /// `fanfare token revoke` ends requests with the token at once.
    @Test func pollsEndWithTheirAPIToken() async throws {
        try await WebBench.run { bench in
            var (events, poll) = try await Self.waiting(bench, try await bench.signIn("alice"))
            _ = try await bench.system.identity.revokeAPIToken(bench.apiToken)
            try await Self.expectEnd(&events, poll, "ckAPIToken")
            try await bench.system.identity.addAPIToken(bench.apiToken, note: "the bench goes on")
        }
    }

    /// `fanfare secrets remove` ends requests with a token that the key sealed. The service checks every ten seconds,
    /// and after each revocation.
    @Test func pollsEndWithTheirTokensSecret() async throws {
        let folder = TemporaryFolder()
        let file = folder.path("keys")
        var ring = KeyRing.generate()
        let first = ring.currentName
        try ring.save(file: file)
        let following = try KeyRing.following(file: file)
        ring.rotate()
        let isRemoved = ring.remove(first)
        #expect(isRemoved)
        try await WebBench.run(keys: following) { [ring] bench in
            let other = try await bench.system.identity.makeAPIToken(note: "another")
            var (events, poll) = try await Self.waiting(bench, try await bench.signIn("alice"))
            try ring.save(file: file)
            #expect(try bench.keys.refresh())
            _ = try await bench.system.identity.revokeAPIToken(other)
            try await Self.expectEnd(&events, poll, "ckWebAuthToken")
        }
    }

    /// Another token's end is no reason, nor is a fresh key beside the one that sealed.
    @Test func pollsOutliveOtherCredentials() async throws {
        let folder = TemporaryFolder()
        let file = folder.path("keys")
        var ring = KeyRing.generate()
        try ring.save(file: file)
        let following = try KeyRing.following(file: file)
        ring.rotate()
        try await WebBench.run(keys: following) { [ring] bench in
            let other = try await bench.system.identity.makeAPIToken(note: "another")
            var (events, poll) = try await Self.waiting(bench, try await bench.signIn("alice"))
            try ring.save(file: file)
            #expect(try bench.keys.refresh())
            _ = try await bench.system.identity.revokeAPIToken(other)
            try await bench.save("later", user: try await bench.signIn("bob"))
            let answer = try await poll.value
            #expect(answer.json["notifications"]?[0]?["recordName"] == "later")
            let event = try await events.next()
            #expect(event?.name == "notification" && event?.json["recordName"] == "later")
        }
    }

    /// Both end, and say by which credentials.
    private static func expectEnd(
        _ events: inout EventReader, _ poll: Task<Answer, any Error>, _ name: String
    ) async throws {
        let answer = try await poll.value
        expect(answer, .authenticationFailed)
        #expect(answer.json["reason"]?.string?.contains(name) == true, "\(answer.json)")
        let end = try await events.next()
        #expect(end?.name == "error" && end?.json["serverErrorCode"] == "AUTHENTICATION_FAILED", "\(end as Any)")
        #expect(end?.json["reason"]?.string?.contains(name) == true, "\(end as Any)")
        let after = try await events.next()
        #expect(after == nil)
    }

    /// A sign-in that is renewed again and again has an end all the same.
    @Test func noSessionSlidesWithoutEnd() throws {
        let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: "c"), environment: .development)
        let day: Int64 = 86_400_000
        let tokens = WebAuthTokens(
            KeyRing.generate(), lifetime: .seconds(14 * 86_400), store: 7, sessionMax: .seconds(30 * 86_400))
        for (isBrief, step, end) in [(false, day, 30 * day), (true, 1_000_000, 12 * 3_600_000)] {
            var time = Timestamp(milliseconds: 1000)
            var (token, _) = tokens.make(for: UserRecordName(trusted: "_u"), in: scope, at: time, isBrief: isBrief)
            var last = token
            while let session = try? tokens.session(of: token, in: scope, at: time) {
                #expect(session.signedIn.milliseconds == 1000)
                let made = tokens.make(for: session, in: scope, at: time)
                #expect(made.expires.milliseconds <= 1000 + end)
                last = made.token
                token = made.token
                time = Timestamp(milliseconds: time.milliseconds + step)
                guard time.milliseconds < 100 * day else { break }
            }
            #expect(time.milliseconds >= 1000 + end && time.milliseconds < 1000 + end + step, "brief: \(isBrief)")
            #expect(throws: CloudError.self) { try tokens.session(of: last, in: scope, at: time) }
        }
    }

    @Test func tokensBelongToAStore() throws {
        let scope = ContainerEnvironment(container: ContainerIdentifier(trusted: "c"), environment: .development)
        let ring = KeyRing.generate()
        let (user, time) = (UserRecordName(trusted: "_u"), Timestamp(milliseconds: 0))
        let token = WebAuthTokens(ring, lifetime: .seconds(60), store: 1).make(for: user, in: scope, at: time).token
        #expect(try WebAuthTokens(ring, lifetime: .seconds(60), store: 1).user(of: token, in: scope, at: time) == user)
        #expect(throws: CloudError.self) {
            try WebAuthTokens(ring, lifetime: .seconds(60), store: 2).user(of: token, in: scope, at: time)
        }
    }

    /// A token that is good in itself, of a user whom the store does not have.
    @Test func aTokenOfNobodyIsRefused() async throws {
        try await WebBench.run { bench in
            let made = WebAuthTokens(bench.keys, lifetime: .seconds(60)).make(
                for: UserRecordName.sample("7"), in: bench.system.layout.scope,
                at: bench.system.service.now())
            let nobody = WebBench.SignedIn(token: made.token, name: "")
            expect(try await bench.send("GET", bench.database("users/caller"), user: nobody), .authenticationFailed)
        }
    }
}

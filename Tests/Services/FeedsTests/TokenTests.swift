import CloudModel
import Cryptography
import EventLog
import Feeds
import TestSupport
import Testing

/// Change tokens and notification IDs: opaque, refused when they are anything but ours, with a reason that says why.
@Suite struct TokenTests {
    private let ring = KeyRing.generate()
    private let identity = FeedHistory.identity

    private var place: FeedPosition {
        var position = LogPosition(offset: 1 << 33)
        _ = position.advance(to: SourcePosition(source: FeedHistory.source, offset: 77, index: 3))
        return FeedPosition(
            part: .shared, position: position, log: "a cluster", fingerprint: 1 << 63, looked: 1 << 32,
            time: Timestamp(milliseconds: 1_700_000_000_000))
    }

    private func refusal(_ token: String, of identity: FeedIdentity? = nil) -> CloudError? {
        do {
            _ = try ChangeTokens(ring).open(token, of: identity ?? self.identity)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [FeedPosition.Part.journal, .feed, .shared, .topic])
    func aTokenBringsThePlaceBack(part: FeedPosition.Part) throws {
        var place = place
        place.part = part
        let token = ChangeTokens(ring).seal(place, of: identity)
        #expect(try ChangeTokens(ring).open(token, of: identity) == place)
        #expect(token.utf8.allSatisfy { UInt8(ascii: "!")...UInt8(ascii: "~") ~= $0 && $0 != UInt8(ascii: "&") })
    }

    /// Every character, changed into every other one: no change goes unnoticed.
    @Test func aTokenThatWasChangedAnywhereIsRefused() {
        let token = Array(ChangeTokens(ring).seal(place, of: identity).utf8)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ %".utf8)
        for index in token.indices {
            // In the other alphabet it may be the same token.
            let twin = ["+": "-", "/": "_"][String(decoding: [token[index]], as: UTF8.self)]?.utf8.first
            for character in alphabet where character != token[index] && character != twin {
                var forged = token
                forged[index] = character
                let error = refusal(String(decoding: forged, as: UTF8.self))
                #expect(error?.code == .badRequest, "\(index) \(character)")
            }
        }
        // Without all of its padding it is the same token.
        let digits = token.count { $0 != UInt8(ascii: "=") }
        for length in 0..<token.count where length != digits {
            #expect(refusal(String(decoding: token.prefix(length), as: UTF8.self))?.code == .badRequest)
        }
        #expect(refusal(String(decoding: token + token, as: UTF8.self))?.code == .badRequest)
    }

    @Test(arguments: ["", " ", "null", "0", "\u{0}", "ä", String(repeating: "A", count: 10_000), "AQ", "////"])
    func otherTextsAreRefused(text: String) {
        let error = refusal(text)
        #expect(error?.code == .badRequest)
        #expect(error?.reason.contains("serverChangeToken") == true)
    }

    /// Each stranger has its own code and its own reason (docs/delivery.md#change-tokens).
    @Test func foreignTokensFailWithTheReason() {
        func token(_ change: (inout FeedIdentity) -> Void) -> CloudError? {
            var other = identity
            change(&other)
            return refusal(ChangeTokens(ring).seal(place, of: other))
        }
        let production = token { $0.scope.environment = .production }
        let container = token { $0.scope.container = ContainerIdentifier(trusted: "iCloud.other") }
        let user = token { $0.user = UserRecordName.sample("b") }
        let device = token { $0.device = DeviceID(trusted: "laptop") }
        let earlier = token { $0.epoch = DeviceEpoch(49) }
        let later = token { $0.epoch = DeviceEpoch(51) }
        #expect(production?.reason.contains("production") == true)
        #expect(container?.reason.contains("iCloud.other") == true)
        #expect(user?.reason.contains("another user") == true)
        #expect(device?.reason.contains("laptop") == true)
        for error in [production, container, user, device, later] { #expect(error?.code == .badRequest) }
        #expect(earlier?.code == .changeTokenExpired)
        #expect(Set([production, container, user, device, earlier, later].map { $0?.reason }).count == 6)
        // Nothing of another user's device is revealed.
        #expect(user?.reason.contains("phone") == false)
    }

    @Test func tokensOfAnotherKeyOrForAnotherPurposeAreRefused() {
        let other = ChangeTokens(KeyRing.generate()).seal(place, of: identity)
        #expect(refusal(other)?.code == .badRequest)
        #expect(refusal(ring.seal([1, 2, 3], purpose: "web-auth/1"))?.code == .badRequest)
        // Rightly sealed and yet no message: a later version's, say.
        #expect(refusal(ring.seal([0xff], purpose: "change-token/1"))?.code == .badRequest)
        #expect(refusal(ring.seal([], purpose: "change-token/1"))?.code == .badRequest)
    }

    @Test func aTokenOutlivesARotationOfTheKeys() throws {
        var rotated = ring
        let token = ChangeTokens(ring).seal(place, of: identity)
        rotated.rotate()
        #expect(try ChangeTokens(rotated).open(token, of: identity) == place)
    }

    // MARK: Notification IDs

    @Test(arguments: [1, 2, 1 << 40, .max] as [Int64])
    func anIdentifierIsItsUsersOnly(change: Int64) throws {
        let identifiers = NotificationIdentifiers(ring)
        let bob = UserRecordName.sample("b")
        let id = identifiers.encode(NotificationSubject(user: FeedHistory.user, change: CommitSequence(change)))
        #expect(identifiers.encode(NotificationSubject(user: FeedHistory.user, change: CommitSequence(change))) == id)
        #expect(identifiers.decode(id, of: FeedHistory.user) == CommitSequence(change))
        #expect(identifiers.decode(id, of: bob) == nil)
        #expect(NotificationIdentifiers(KeyRing.generate()).decode(id, of: FeedHistory.user) == nil)
        #expect(identifiers.encode(NotificationSubject(user: bob, change: CommitSequence(change))) != id)
        let groups = id.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
        #expect(groups == [8, 4, 4, 4, 12])
    }

    @Test func anIdentifierThatWasChangedAnywhereIsNobodys() {
        let identifiers = NotificationIdentifiers(ring)
        let id = Array(identifiers.encode(NotificationSubject(user: FeedHistory.user, change: CommitSequence(7))).utf8)
        for index in id.indices {
            for character in "0123456789abcdef-g ".utf8 where character != id[index] {
                var forged = id
                forged[index] = character
                let text = String(decoding: forged, as: UTF8.self)
                #expect(identifiers.decode(text, of: FeedHistory.user) == nil, "\(text)")
            }
        }
        for text in ["", "7", "null", String(repeating: "0", count: 36)] {
            #expect(identifiers.decode(text, of: FeedHistory.user) == nil)
        }
    }

    /// Neighbouring changes do not show as neighbours.
    @Test func identifiersDoNotRevealTheOrder() {
        let identifiers = NotificationIdentifiers(ring)
        let ids = (1...200).map {
            identifiers.encode(NotificationSubject(user: FeedHistory.user, change: CommitSequence($0)))
        }
        #expect(Set(ids).count == 200)
        #expect(Set(ids.map { $0.prefix(8) }).count > 190)
    }
}

import CloudMessages
import EventLog
import ProtocolBuffers
import SQLiteLog
import Testing

/// Bytes of every version of each message are read by today's code, and today's bytes by the rules of every version.
@Suite struct RecordedMessagesTests {
    /// The messages in topics, stores and tokens.
    private static let kept: [any WireMessage.Type] = [
        AssetTokenMessage.self, ChangeEvent.self, ChangeTokenMessage.self, Command.self, ConditionMessage.self,
        CourierTokenMessage.self, DeliveryEntry.self, FeedEntry.self, FeedTopicsState.self, HeadersMessage.self,
        NotificationInfoMessage.self,
        PartitionState.self, PoisonEvent.self, PositionMessage.self, PushAddressEntry.self, PushAddressMessage.self,
        PushEntry.self, PushStateMessage.self, QueryMarkerMessage.self, ReachedMessage.self, RecordMessage.self,
        ScopeIdentityMessage.self, ShareAcceptanceMessage.self, SignInAttemptMessage.self, SubscriptionEvent.self,
        SyncTokenMessage.self, UserState.self, WebAuthTokenMessage.self,
    ]

    private static let names = kept.map { "\($0)" }

    private static func type(_ name: String) -> any WireMessage.Type { kept.first { "\($0)" == name }! }

    /// What today's code writes of what it reads.
    private static func rewritten(_ bytes: [UInt8], _ name: String) throws -> [UInt8] {
        func rewrite<Message: WireMessage>(_ type: Message.Type) throws -> [UInt8] {
            try Message(decoding: bytes).encoded()
        }
        return try rewrite(type(name))
    }

    @Test("every message that is kept has recorded versions")
    func all() throws {
        #expect(try RecordedVersion.names() == Self.names)
    }

    @Test("today's code reads every version and loses nothing of it", arguments: names)
    func older(name: String) throws {
        for (number, version) in try RecordedVersion.all(of: name).enumerated() {
            #expect(!version.bytes.isEmpty)
            for bytes in version.bytes {
                #expect(try Self.rewritten(bytes, name) == bytes, "version \(number + 1)")
            }
        }
    }

    @Test("a reader of every version finds in today's messages what it knows, and skips the rest", arguments: names)
    func newer(name: String) throws {
        let versions = try RecordedVersion.all(of: name)
        let today = try #require(versions.last).bytes.map { try Self.rewritten($0, name) }
        for (number, version) in versions.enumerated() {
            let known = try version.bytes.reduce(into: Set()) { $0.formUnion(try version.found(in: $1)) }
            let found = try today.reduce(into: Set()) { $0.formUnion(try version.found(in: $1)) }
            #expect(!known.isEmpty)
            #expect(
                known.isSubset(of: found),
                "version \(number + 1) misses \(known.subtracting(found).map(\.description).sorted())")
        }
    }

    @Test("a reader refuses a field that it knows by another type")
    func changed() throws {
        let version = try #require(try RecordedVersion.all(of: "PoisonEvent").first)
        #expect(throws: RecordedVersion.Misread.self) { try version.found(in: [0x08, 0x01]) }
        #expect(throws: MessageError.self) { try PoisonEvent(decoding: [0x08, 0x01]) }
    }
}

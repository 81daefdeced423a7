// Written by scripts/generate-messages from token.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// The position of a device in its feed (docs/delivery.md#change-tokens).
package struct ChangeTokenMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    package var user: String = ""
    package var device: String = ""
    package var epoch: Int64 = 0
    /// 0 a user's own journal, as earlier versions had it: the seen positions count, and no offset; 1 behind the device's
    /// registration, with the positions seen since; 2 the user's part of journals; 3 the device's own topic.
    package var part: Int32 = 0
    /// The next offset, and the last source position seen.
    package var position: PositionMessage?
    /// Below this offset entries may be missing: the reading began without a token where retention had cut the partition.
    package var raggedUntil: Int64 = 0
    /// The log that the place is in: Kafka's cluster ID. Empty in tokens that name none.
    package var log: String = ""
    /// FNV-1a of the entry right before the next offset, and the time of the last read entry, in milliseconds since 1970
    /// UTC.
    package var fingerprint: UInt64?
    package var time: Int64?
    /// Of part 2: the offset of the entry that the fingerprint is of, which stands anywhere before the next offset.
    package var looked: Int64?

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        user: String = "",
        device: String = "",
        epoch: Int64 = 0,
        part: Int32 = 0,
        position: PositionMessage? = nil,
        raggedUntil: Int64 = 0,
        log: String = "",
        fingerprint: UInt64? = nil,
        time: Int64? = nil,
        looked: Int64? = nil
    ) {
        self.container = container
        self.environment = environment
        self.user = user
        self.device = device
        self.epoch = epoch
        self.part = part
        self.position = position
        self.raggedUntil = raggedUntil
        self.log = log
        self.fingerprint = fingerprint
        self.time = time
        self.looked = looked
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if !self.user.isEmpty { writer.write(self.user, field: 3) }
        if !self.device.isEmpty { writer.write(self.device, field: 4) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 5) }
        if self.part != 0 { writer.write(self.part, as: Wire.Int32.self, field: 6) }
        if let value = self.position { writer.write(value, field: 7) }
        if self.raggedUntil != 0 { writer.write(self.raggedUntil, as: Wire.Int64.self, field: 8) }
        if !self.log.isEmpty { writer.write(self.log, field: 9) }
        if let value = self.fingerprint { writer.write(value, as: Wire.Fixed64.self, field: 10) }
        if let value = self.time { writer.write(value, as: Wire.Int64.self, field: 11) }
        if let value = self.looked { writer.write(value, as: Wire.Int64.self, field: 12) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.user = try reader.string()
            case 4: self.device = try reader.string()
            case 5: self.epoch = try reader.read(Wire.Int64.self)
            case 6: self.part = try reader.read(Wire.Int32.self)
            case 7: try reader.read(into: &self.position)
            case 8: self.raggedUntil = try reader.read(Wire.Int64.self)
            case 9: self.log = try reader.string()
            case 10: self.fingerprint = try reader.read(Wire.Fixed64.self)
            case 11: self.time = try reader.read(Wire.Int64.self)
            case 12: self.looked = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// What a web courier's address is for.
package struct CourierTokenMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    package var user: String = ""
    package var device: String = ""
    package var epoch: Int64 = 0
    /// Milliseconds since 1970 UTC.
    package var expires: Int64 = 0

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        user: String = "",
        device: String = "",
        epoch: Int64 = 0,
        expires: Int64 = 0
    ) {
        self.container = container
        self.environment = environment
        self.user = user
        self.device = device
        self.epoch = epoch
        self.expires = expires
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if !self.user.isEmpty { writer.write(self.user, field: 3) }
        if !self.device.isEmpty { writer.write(self.device, field: 4) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 5) }
        if self.expires != 0 { writer.write(self.expires, as: Wire.Int64.self, field: 6) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.user = try reader.string()
            case 4: self.device = try reader.string()
            case 5: self.epoch = try reader.read(Wire.Int64.self)
            case 6: self.expires = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// The signed-in user.
package struct WebAuthTokenMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    package var user: String = ""
    /// Milliseconds since 1970 UTC.
    package var expires: Int64 = 0
    /// Makes each token another one.
    package var nonce: UInt64 = 0
    /// Whether the user did not ask to be kept signed in: tokens that follow this one are short-lived, too.
    package var isBrief: Bool = false
    /// When the user signed in, in milliseconds since 1970 UTC.
    package var signedIn: Int64 = 0
    /// The sign-in that this token and all that follow it are of.
    package var session: UInt64 = 0
    /// How often all sessions of the user had been ended by then.
    package var sessionEpoch: Int64 = 0
    /// The incarnation of the store that knows the user.
    package var store: UInt64 = 0

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        user: String = "",
        expires: Int64 = 0,
        nonce: UInt64 = 0,
        isBrief: Bool = false,
        signedIn: Int64 = 0,
        session: UInt64 = 0,
        sessionEpoch: Int64 = 0,
        store: UInt64 = 0
    ) {
        self.container = container
        self.environment = environment
        self.user = user
        self.expires = expires
        self.nonce = nonce
        self.isBrief = isBrief
        self.signedIn = signedIn
        self.session = session
        self.sessionEpoch = sessionEpoch
        self.store = store
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if !self.user.isEmpty { writer.write(self.user, field: 3) }
        if self.expires != 0 { writer.write(self.expires, as: Wire.Int64.self, field: 4) }
        if self.nonce != 0 { writer.write(self.nonce, as: Wire.Fixed64.self, field: 5) }
        if self.isBrief { writer.write(self.isBrief, as: Wire.Bool.self, field: 6) }
        if self.signedIn != 0 { writer.write(self.signedIn, as: Wire.Int64.self, field: 7) }
        if self.session != 0 { writer.write(self.session, as: Wire.Fixed64.self, field: 8) }
        if self.sessionEpoch != 0 { writer.write(self.sessionEpoch, as: Wire.Int64.self, field: 9) }
        if self.store != 0 { writer.write(self.store, as: Wire.Fixed64.self, field: 10) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.user = try reader.string()
            case 4: self.expires = try reader.read(Wire.Int64.self)
            case 5: self.nonce = try reader.read(Wire.Fixed64.self)
            case 6: self.isBrief = try reader.read(Wire.Bool.self)
            case 7: self.signedIn = try reader.read(Wire.Int64.self)
            case 8: self.session = try reader.read(Wire.Fixed64.self)
            case 9: self.sessionEpoch = try reader.read(Wire.Int64.self)
            case 10: self.store = try reader.read(Wire.Fixed64.self)
            default: try reader.skip()
            }
        }
    }
}

/// A sign-in in a browser that was begun. Of the last three at most one is set.
package struct SignInAttemptMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    /// Milliseconds since 1970 UTC.
    package var expires: Int64 = 0
    package var state: String = ""
    package var nonce: String = ""
    package var verifier: String = ""
    package var isBrief: Bool = false
    /// The origin of the page that opened the window.
    package var origin: String = ""
    /// An address that gets the token.
    package var callback: String = ""
    /// The short GUID of a share.
    package var share: String = ""
    /// The name of the channel on which a page of the console waits.
    package var channel: String = ""
    /// Whether the page signs in an operator and not a user.
    package var isOperator: Bool = false

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        expires: Int64 = 0,
        state: String = "",
        nonce: String = "",
        verifier: String = "",
        isBrief: Bool = false,
        origin: String = "",
        callback: String = "",
        share: String = "",
        channel: String = "",
        isOperator: Bool = false
    ) {
        self.container = container
        self.environment = environment
        self.expires = expires
        self.state = state
        self.nonce = nonce
        self.verifier = verifier
        self.isBrief = isBrief
        self.origin = origin
        self.callback = callback
        self.share = share
        self.channel = channel
        self.isOperator = isOperator
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if self.expires != 0 { writer.write(self.expires, as: Wire.Int64.self, field: 3) }
        if !self.state.isEmpty { writer.write(self.state, field: 4) }
        if !self.nonce.isEmpty { writer.write(self.nonce, field: 5) }
        if !self.verifier.isEmpty { writer.write(self.verifier, field: 6) }
        if self.isBrief { writer.write(self.isBrief, as: Wire.Bool.self, field: 7) }
        if !self.origin.isEmpty { writer.write(self.origin, field: 8) }
        if !self.callback.isEmpty { writer.write(self.callback, field: 9) }
        if !self.share.isEmpty { writer.write(self.share, field: 10) }
        if !self.channel.isEmpty { writer.write(self.channel, field: 11) }
        if self.isOperator { writer.write(self.isOperator, as: Wire.Bool.self, field: 12) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.expires = try reader.read(Wire.Int64.self)
            case 4: self.state = try reader.string()
            case 5: self.nonce = try reader.string()
            case 6: self.verifier = try reader.string()
            case 7: self.isBrief = try reader.read(Wire.Bool.self)
            case 8: self.origin = try reader.string()
            case 9: self.callback = try reader.string()
            case 10: self.share = try reader.string()
            case 11: self.channel = try reader.string()
            case 12: self.isOperator = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// The user who may accept a share by pressing a button.
package struct ShareAcceptanceMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    package var user: String = ""
    package var share: String = ""
    /// Milliseconds since 1970 UTC.
    package var expires: Int64 = 0

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        user: String = "",
        share: String = "",
        expires: Int64 = 0
    ) {
        self.container = container
        self.environment = environment
        self.user = user
        self.share = share
        self.expires = expires
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if !self.user.isEmpty { writer.write(self.user, field: 3) }
        if !self.share.isEmpty { writer.write(self.share, field: 4) }
        if self.expires != 0 { writer.write(self.expires, as: Wire.Int64.self, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.user = try reader.string()
            case 4: self.share = try reader.string()
            case 5: self.expires = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// What an address of an upload or a download is for, or what a receipt is of.
package struct AssetTokenMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    /// Milliseconds since 1970 UTC.
    package var expires: Int64 = 0
    /// Base64 of the SHA-256 of the file, and its bytes. Of an upload: a random text, as its address is good once.
    package var checksum: String = ""
    package var size: Int64 = 0
    /// The user and field of an upload; not of a download. Empty type and field match any.
    package var user: String = ""
    package var database: Int32 = 0
    package var recordType: String = ""
    package var field: String = ""

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        expires: Int64 = 0,
        checksum: String = "",
        size: Int64 = 0,
        user: String = "",
        database: Int32 = 0,
        recordType: String = "",
        field: String = ""
    ) {
        self.container = container
        self.environment = environment
        self.expires = expires
        self.checksum = checksum
        self.size = size
        self.user = user
        self.database = database
        self.recordType = recordType
        self.field = field
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if self.expires != 0 { writer.write(self.expires, as: Wire.Int64.self, field: 3) }
        if !self.checksum.isEmpty { writer.write(self.checksum, field: 4) }
        if self.size != 0 { writer.write(self.size, as: Wire.Int64.self, field: 5) }
        if !self.user.isEmpty { writer.write(self.user, field: 6) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 7) }
        if !self.recordType.isEmpty { writer.write(self.recordType, field: 8) }
        if !self.field.isEmpty { writer.write(self.field, field: 9) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.expires = try reader.read(Wire.Int64.self)
            case 4: self.checksum = try reader.string()
            case 5: self.size = try reader.read(Wire.Int64.self)
            case 6: self.user = try reader.string()
            case 7: self.database = try reader.read(Wire.Int32.self)
            case 8: self.recordType = try reader.string()
            case 9: self.field = try reader.string()
            default: try reader.skip()
            }
        }
    }
}

/// What a record is ordered by in one entry of `sortBy`; absent when the record lacks it.
package struct SortKeyMessage: WireMessage {
    package var value: ValueMessage?

    package init() {}

    package init(
        value: ValueMessage? = nil
    ) {
        self.value = value
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.value { writer.write(value, field: 1) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.value)
            default: try reader.skip()
            }
        }
    }
}

/// Where a page of a query ended.
package struct QueryMarkerMessage: WireMessage {
    /// SHA-256 of the query, its zones and its database.
    package var query: [UInt8] = []
    package var keys: [SortKeyMessage] = []
    /// The record's number in the store, and the store.
    package var number: Int64 = 0
    package var store: UInt64 = 0

    package init() {}

    package init(
        query: [UInt8] = [],
        keys: [SortKeyMessage] = [],
        number: Int64 = 0,
        store: UInt64 = 0
    ) {
        self.query = query
        self.keys = keys
        self.number = number
        self.store = store
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.query.isEmpty { writer.write(self.query, field: 1) }
        writer.write(each: self.keys, field: 2)
        if self.number != 0 { writer.write(self.number, as: Wire.Int64.self, field: 3) }
        if self.store != 0 { writer.write(self.store, as: Wire.Fixed64.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.query = try reader.bytes()
            case 2: try reader.read(appendingTo: &self.keys)
            case 3: self.number = try reader.read(Wire.Int64.self)
            case 4: self.store = try reader.read(Wire.Fixed64.self)
            default: try reader.skip()
            }
        }
    }
}

/// How far a device has read a change feed of a database or a zone (docs/cloudkit.md#changes).
package struct SyncTokenMessage: WireMessage {
    package var container: String = ""
    package var environment: String = ""
    package var user: String = ""
    /// The store whose sequences these are.
    package var store: UInt64 = 0
    /// 1 changes/database, 2 changes/zone and records/changes, 3 zones/changes, 4 records/query.
    package var kind: Int32 = 0
    /// 1 public (kind 4 only), 2 private, 3 shared.
    package var database: Int32 = 0
    /// Of kind 2 only.
    package var zone: ZoneMessage?
    /// The sequence of the zone's creation: another one of the same name is another zone.
    package var incarnation: Int64 = 0
    /// All changes up to this one have been read.
    package var sequence: Int64 = 0
    /// The last change when the reading began without a token: deletions before it are of no concern.
    package var began: Int64 = 0
    /// Of a reading from the newest to the oldest that has not ended: changes from this one on have been read,
    package var below: Int64 = 0
    /// and where it goes on when it has ended.
    package var top: Int64 = 0
    /// Of kind 4: the time of the last commit, in milliseconds since 1970 UTC.
    package var committed: Int64 = 0

    package init() {}

    package init(
        container: String = "",
        environment: String = "",
        user: String = "",
        store: UInt64 = 0,
        kind: Int32 = 0,
        database: Int32 = 0,
        zone: ZoneMessage? = nil,
        incarnation: Int64 = 0,
        sequence: Int64 = 0,
        began: Int64 = 0,
        below: Int64 = 0,
        top: Int64 = 0,
        committed: Int64 = 0
    ) {
        self.container = container
        self.environment = environment
        self.user = user
        self.store = store
        self.kind = kind
        self.database = database
        self.zone = zone
        self.incarnation = incarnation
        self.sequence = sequence
        self.began = began
        self.below = below
        self.top = top
        self.committed = committed
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.container.isEmpty { writer.write(self.container, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if !self.user.isEmpty { writer.write(self.user, field: 3) }
        if self.store != 0 { writer.write(self.store, as: Wire.Fixed64.self, field: 4) }
        if self.kind != 0 { writer.write(self.kind, as: Wire.Int32.self, field: 5) }
        if self.database != 0 { writer.write(self.database, as: Wire.Int32.self, field: 6) }
        if let value = self.zone { writer.write(value, field: 7) }
        if self.incarnation != 0 { writer.write(self.incarnation, as: Wire.Int64.self, field: 8) }
        if self.sequence != 0 { writer.write(self.sequence, as: Wire.Int64.self, field: 9) }
        if self.began != 0 { writer.write(self.began, as: Wire.Int64.self, field: 10) }
        if self.below != 0 { writer.write(self.below, as: Wire.Int64.self, field: 11) }
        if self.top != 0 { writer.write(self.top, as: Wire.Int64.self, field: 12) }
        if self.committed != 0 { writer.write(self.committed, as: Wire.Int64.self, field: 13) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.container = try reader.string()
            case 2: self.environment = try reader.string()
            case 3: self.user = try reader.string()
            case 4: self.store = try reader.read(Wire.Fixed64.self)
            case 5: self.kind = try reader.read(Wire.Int32.self)
            case 6: self.database = try reader.read(Wire.Int32.self)
            case 7: try reader.read(into: &self.zone)
            case 8: self.incarnation = try reader.read(Wire.Int64.self)
            case 9: self.sequence = try reader.read(Wire.Int64.self)
            case 10: self.began = try reader.read(Wire.Int64.self)
            case 11: self.below = try reader.read(Wire.Int64.self)
            case 12: self.top = try reader.read(Wire.Int64.self)
            case 13: self.committed = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

// Written by scripts/generate-messages from push.proto: change that file and run it again.
// swift-format-ignore-file

package import EventLog
package import ProtocolBuffers

/// A device that the notification is pushed to.
package struct PushTarget: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The kind of courier that pushes to it.
    package var courier: String = ""
    /// The badge of the device after the notification; absent: as it was.
    package var badge: Int64?
    /// The store's sequence of the entry in push-addresses since which it is registered for that courier; 0: the courier
    /// has no address there.
    package var since: Int64 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        courier: String = "",
        badge: Int64? = nil,
        since: Int64 = 0
    ) {
        self.device = device
        self.epoch = epoch
        self.courier = courier
        self.badge = badge
        self.since = since
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if !self.courier.isEmpty { writer.write(self.courier, field: 3) }
        if let value = self.badge { writer.write(value, as: Wire.Int64.self, field: 4) }
        if self.since != 0 { writer.write(self.since, as: Wire.Int64.self, field: 5) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.courier = try reader.string()
            case 4: self.badge = try reader.read(Wire.Int64.self)
            case 5: self.since = try reader.read(Wire.Int64.self)
            default: try reader.skip()
            }
        }
    }
}

/// Empty: the mark of an entry that is no notification. Entries of earlier builds name a feed that has an entry of this
/// name.
package struct FeedHint: WireMessage {
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The entry's name, with the source of the PushEntry.
    package var offset: Int64 = 0
    package var index: Int32 = 0

    package init() {}

    package init(
        device: String = "",
        epoch: Int64 = 0,
        offset: Int64 = 0,
        index: Int32 = 0
    ) {
        self.device = device
        self.epoch = epoch
        self.offset = offset
        self.index = index
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.device.isEmpty { writer.write(self.device, field: 1) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 2) }
        if self.offset != 0 { writer.write(self.offset, as: Wire.Int64.self, field: 3) }
        if self.index != 0 { writer.write(self.index, as: Wire.Int32.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.device = try reader.string()
            case 2: self.epoch = try reader.read(Wire.Int64.self)
            case 3: self.offset = try reader.read(Wire.Int64.self)
            case 4: self.index = try reader.read(Wire.Int32.self)
            default: try reader.skip()
            }
        }
    }
}

/// A notification for those devices of a user that have a courier: it is in their feeds as well, under the same name.
/// Or, for targets with an address alone: `omitted`, or `read`, or neither, where the badge of the targets was set. These
/// entries have one hint, which names no device: so readers from before there were such entries pass them by.
/// Or, of an earlier build, without a key, a user and a notification: hints of feeds, which readers pass by.
package struct PushEntry: WireMessage {
    /// A position in deliveries.
    package var source: SourcePositionMessage?
    package var user: String = ""
    /// The time of the change, in milliseconds since 1970 UTC.
    package var time: Int64 = 0
    /// Which of the user's devices caused it.
    package var device: String?
    package var epoch: Int64?
    /// Without a badge: each device has its own.
    package var notification: QueryNotification?
    package var targets: [PushTarget] = []
    /// One, which names no device, in an entry that is no notification.
    package var hints: [FeedHint] = []
    /// Notifications were left out.
    package var omitted: OmittedNotifications?
    /// The changes whose notifications were read, ascending: the newest ones of an event.
    package var read: [Int64] = []

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        user: String = "",
        time: Int64 = 0,
        device: String? = nil,
        epoch: Int64? = nil,
        notification: QueryNotification? = nil,
        targets: [PushTarget] = [],
        hints: [FeedHint] = [],
        omitted: OmittedNotifications? = nil,
        read: [Int64] = []
    ) {
        self.source = source
        self.user = user
        self.time = time
        self.device = device
        self.epoch = epoch
        self.notification = notification
        self.targets = targets
        self.hints = hints
        self.omitted = omitted
        self.read = read
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if !self.user.isEmpty { writer.write(self.user, field: 2) }
        if self.time != 0 { writer.write(self.time, as: Wire.Int64.self, field: 3) }
        if let value = self.device { writer.write(value, field: 4) }
        if let value = self.epoch { writer.write(value, as: Wire.Int64.self, field: 5) }
        if let value = self.notification { writer.write(value, field: 6) }
        writer.write(each: self.targets, field: 7)
        writer.write(each: self.hints, field: 8)
        if let value = self.omitted { writer.write(value, field: 9) }
        writer.write(packed: self.read, as: Wire.Int64.self, field: 10)
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.user = try reader.string()
            case 3: self.time = try reader.read(Wire.Int64.self)
            case 4: self.device = try reader.string()
            case 5: self.epoch = try reader.read(Wire.Int64.self)
            case 6: try reader.read(into: &self.notification)
            case 7: try reader.read(appendingTo: &self.targets)
            case 8: try reader.read(appendingTo: &self.hints)
            case 9: try reader.read(into: &self.omitted)
            case 10: try reader.read(Wire.Int64.self, appendingTo: &self.read)
            default: try reader.skip()
            }
        }
    }
}

/// A device of Apple's.
package struct APNSAddressMessage: WireMessage {
    package var token: [UInt8] = []
    /// development or production.
    package var environment: String = ""
    /// The app's bundle ID; absent: the container's default.
    package var topic: String?
    /// A silent push is sent in place of several that waited.
    package var silentWhenBehind: Bool = false

    package init() {}

    package init(
        token: [UInt8] = [],
        environment: String = "",
        topic: String? = nil,
        silentWhenBehind: Bool = false
    ) {
        self.token = token
        self.environment = environment
        self.topic = topic
        self.silentWhenBehind = silentWhenBehind
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.token.isEmpty { writer.write(self.token, field: 1) }
        if !self.environment.isEmpty { writer.write(self.environment, field: 2) }
        if let value = self.topic { writer.write(value, field: 3) }
        if self.silentWhenBehind { writer.write(self.silentWhenBehind, as: Wire.Bool.self, field: 4) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.token = try reader.bytes()
            case 2: self.environment = try reader.string()
            case 3: self.topic = try reader.string()
            case 4: self.silentWhenBehind = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// A subscription of a browser or of UnifiedPush.
package struct WebPushAddressMessage: WireMessage {
    package var endpoint: String = ""
    /// Uncompressed points on P-256: the subscription's, and the server's that it was made with.
    package var publicKey: [UInt8] = []
    package var authentication: [UInt8] = []
    package var serverKey: [UInt8] = []
    /// Milliseconds since 1970 UTC; absent: it names no end.
    package var expires: Int64?
    package var takesSilent: Bool = false
    /// As in APNSAddressMessage.
    package var silentWhenBehind: Bool = false

    package init() {}

    package init(
        endpoint: String = "",
        publicKey: [UInt8] = [],
        authentication: [UInt8] = [],
        serverKey: [UInt8] = [],
        expires: Int64? = nil,
        takesSilent: Bool = false,
        silentWhenBehind: Bool = false
    ) {
        self.endpoint = endpoint
        self.publicKey = publicKey
        self.authentication = authentication
        self.serverKey = serverKey
        self.expires = expires
        self.takesSilent = takesSilent
        self.silentWhenBehind = silentWhenBehind
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.endpoint.isEmpty { writer.write(self.endpoint, field: 1) }
        if !self.publicKey.isEmpty { writer.write(self.publicKey, field: 2) }
        if !self.authentication.isEmpty { writer.write(self.authentication, field: 3) }
        if !self.serverKey.isEmpty { writer.write(self.serverKey, field: 4) }
        if let value = self.expires { writer.write(value, as: Wire.Int64.self, field: 5) }
        if self.takesSilent { writer.write(self.takesSilent, as: Wire.Bool.self, field: 6) }
        if self.silentWhenBehind { writer.write(self.silentWhenBehind, as: Wire.Bool.self, field: 7) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.endpoint = try reader.string()
            case 2: self.publicKey = try reader.bytes()
            case 3: self.authentication = try reader.bytes()
            case 4: self.serverKey = try reader.bytes()
            case 5: self.expires = try reader.read(Wire.Int64.self)
            case 6: self.takesSilent = try reader.read(Wire.Bool.self)
            case 7: self.silentWhenBehind = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// A server that is sent signed requests.
package struct WebhookAddressMessage: WireMessage {
    package var url: String = ""
    package var secrets: [[UInt8]] = []
    /// As in APNSAddressMessage.
    package var silentWhenBehind: Bool = false

    package init() {}

    package init(
        url: String = "",
        secrets: [[UInt8]] = [],
        silentWhenBehind: Bool = false
    ) {
        self.url = url
        self.secrets = secrets
        self.silentWhenBehind = silentWhenBehind
    }

    package func encode(into writer: inout MessageWriter) {
        if !self.url.isEmpty { writer.write(self.url, field: 1) }
        for value in self.secrets { writer.write(value, field: 2) }
        if self.silentWhenBehind { writer.write(self.silentWhenBehind, as: Wire.Bool.self, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.url = try reader.string()
            case 2: self.secrets.append(try reader.bytes())
            case 3: self.silentWhenBehind = try reader.read(Wire.Bool.self)
            default: try reader.skip()
            }
        }
    }
}

/// An address, only ever stored and published sealed.
package struct PushAddressMessage: WireMessage {
    package var address: Address?

    package init() {}

    package init(
        address: Address? = nil
    ) {
        self.address = address
    }

    package func encode(into writer: inout MessageWriter) {
        if case .apns(let value)? = self.address { writer.write(value, field: 1) }
        if case .webPush(let value)? = self.address { writer.write(value, field: 2) }
        if case .webhook(let value)? = self.address { writer.write(value, field: 3) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1:
                var value = APNSAddressMessage()
                if case .apns(let current)? = self.address { value = current }
                try reader.read(into: &value)
                self.address = .apns(value)
            case 2:
                var value = WebPushAddressMessage()
                if case .webPush(let current)? = self.address { value = current }
                try reader.read(into: &value)
                self.address = .webPush(value)
            case 3:
                var value = WebhookAddressMessage()
                if case .webhook(let current)? = self.address { value = current }
                try reader.read(into: &value)
                self.address = .webhook(value)
            default: try reader.skip()
            }
        }
    }

    package enum Address: Sendable, Equatable {
        case apns(APNSAddressMessage)
        case webPush(WebPushAddressMessage)
        case webhook(WebhookAddressMessage)
    }
}

/// What the topic push-addresses carries: a registered address. Key: user, NUL, device, NUL, kind. No value: it was
/// removed.
package struct PushAddressEntry: WireMessage {
    /// The store and the sequence of the entry.
    package var source: SourcePositionMessage?
    package var user: String = ""
    package var device: String = ""
    package var epoch: Int64 = 0
    /// The kind of courier that sends to it: apns, webPush or webhook.
    package var kind: String = ""
    /// What pushes may have of a notification: full or none.
    package var contents: String = ""
    /// Milliseconds since 1970 UTC.
    package var registered: Int64 = 0
    /// A PushAddressMessage, sealed by the key ring for its container, environment, user, device and kind.
    package var sealed: [UInt8] = []

    package init() {}

    package init(
        source: SourcePositionMessage? = nil,
        user: String = "",
        device: String = "",
        epoch: Int64 = 0,
        kind: String = "",
        contents: String = "",
        registered: Int64 = 0,
        sealed: [UInt8] = []
    ) {
        self.source = source
        self.user = user
        self.device = device
        self.epoch = epoch
        self.kind = kind
        self.contents = contents
        self.registered = registered
        self.sealed = sealed
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.source { writer.write(value, field: 1) }
        if !self.user.isEmpty { writer.write(self.user, field: 2) }
        if !self.device.isEmpty { writer.write(self.device, field: 3) }
        if self.epoch != 0 { writer.write(self.epoch, as: Wire.Int64.self, field: 4) }
        if !self.kind.isEmpty { writer.write(self.kind, field: 5) }
        if !self.contents.isEmpty { writer.write(self.contents, field: 6) }
        if self.registered != 0 { writer.write(self.registered, as: Wire.Int64.self, field: 7) }
        if !self.sealed.isEmpty { writer.write(self.sealed, field: 8) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: try reader.read(into: &self.source)
            case 2: self.user = try reader.string()
            case 3: self.device = try reader.string()
            case 4: self.epoch = try reader.read(Wire.Int64.self)
            case 5: self.kind = try reader.string()
            case 6: self.contents = try reader.string()
            case 7: self.registered = try reader.read(Wire.Int64.self)
            case 8: self.sealed = try reader.bytes()
            default: try reader.skip()
            }
        }
    }
}

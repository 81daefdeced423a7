import CloudModel

/// One dimension of a shape: what of an event is looked up. Kind, parameter and slot in 32 bits; 0 is none.
struct Facet: Hashable, BitwiseCopyable {
    enum Kind: UInt8 {
        case equals = 1
        /// The interval of 2^parameter ordinals that a number lies in.
        case cell
        case member, begins, holds, token
        /// The cube of side 2^-parameter of the unit sphere's space that a place lies in.
        case near
        /// All thresholds under, or over, a number.
        case above, below
        /// A field that an update changed; every record that is made or deleted looks there, too.
        case changed
        case present
        /// Every record: what has no better path is evaluated one after the other.
        case every
    }

    var word: UInt32

    init(word: UInt32) { self.word = word }

    init(_ kind: Kind, slot: Int = 0, parameter: Int = 0) {
        word = UInt32(kind.rawValue) << 24 | UInt32(parameter & 255) << 16 | UInt32(slot)
    }

    static let none = Facet(word: 0)

    var isNone: Bool { word == 0 }
    @inline(__always) var kind: Kind { Kind(rawValue: UInt8(word >> 24)) ?? .every }
    @inline(__always) var parameter: Int { Int(word >> 16 & 255) }
    @inline(__always) var slot: Int { Int(word & 0xFFFF) }

    /// Whether its keys are numbers of the table of names, which a bucket holds on to.
    var hasNames: Bool { kind == .equals || kind == .member || kind == .token }
}

/// The dimensions that subscriptions of one tenancy are filed by together: each event looks once into each shape.
struct Shape: BitwiseCopyable {
    var partition: UInt32
    var facets: (Facet, Facet, Facet)
    /// The next shape of the partition, 0 for none.
    var next: UInt32
    /// How many buckets there are; the shape goes with the last.
    var buckets: UInt32
    /// The shape before it in the partition, while it is not the first.
    var previous: UInt32 = 0
}

/// The shapes of a tenancy that look at one slot first.
struct SlotKey: Hashable {
    /// In place of a slot: what every event looks into.
    static let ofAll = UInt32(UInt16.max) + 1

    var partition: UInt32
    var slot: UInt32

    init(partition: UInt32, slot: UInt32) {
        self.partition = partition
        self.slot = slot
    }

    init(partition: UInt32, facet: Facet) {
        self.partition = partition
        slot = facet.kind == .every || facet.kind == .changed ? Self.ofAll : UInt32(facet.slot)
    }
}

struct ShapeKey: Hashable {
    var partition: UInt32
    var facets: Facets
}

struct Facets: Hashable {
    var first: Facet
    var second = Facet.none
    var third = Facet.none
}

/// Where one subscription is filed.
struct PathKey {
    var facets: Facets
    var keys: (UInt32, UInt32, UInt32)
}

/// Subscriptions that are looked up together.
struct Bucket: BitwiseCopyable {
    /// 0 in a free bucket, whose `start` is the next free one.
    var shape: UInt32
    var keys: (UInt32, UInt32, UInt32)
    var start: UInt32
    var count: UInt32
    /// How many events looked into it, which tells how dear it is to be filed here.
    var hits: UInt32
    /// Where it stands among the buckets of a shape of parts of texts.
    var place: UInt32 = 0
}

/// A subscription in a bucket, with the first instruction of its program.
struct Entry: BitwiseCopyable {
    /// The ID in 27 bits, and what of it is asked before the program.
    var head: UInt32
    /// Where the program goes on.
    var rest: UInt32
    var first: UInt64

    static let idMask: UInt32 = 1 << 27 - 1
    /// Whether it fires is decided by `Subscription.fires(on:)` in the end.
    static let decided: UInt32 = 1 << 27
    /// It may be found twice for one event.
    static let repeated: UInt32 = 1 << 28
    /// The first of three bits, one for each kind of change.
    static let firesOnShift: UInt32 = 29
}

/// The tenancy that a subscription watches; 0 is every owner, zone or type.
struct PartitionKey: Hashable {
    var database: Int32
    var owner: UInt32
    var zone: UInt32
    var type: UInt32
}

struct Partition: BitwiseCopyable {
    /// The first of its shapes, 0 for none.
    var shapes: UInt32 = 0
    var shapeCount: UInt32 = 0
    var subscriptions: UInt32 = 0
    var events: UInt32 = 0
}

/// What is kept of a subscription besides its entries.
struct Resident: BitwiseCopyable {
    /// Its bucket, or where its buckets are listed.
    var place: UInt32 = 0
    /// Where its program goes on after the first word.
    var code: UInt32 = 0
    var placeCount: UInt16 = 0
    var codeCount: UInt16 = 0
    /// The number of the user whose it is; 0 for an ID that is not in use.
    var owner: UInt32 = 0
    var partition: UInt32 = 0
}

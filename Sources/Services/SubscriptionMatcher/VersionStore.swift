import CloudMessages
import CloudModel

/// Versions of subscriptions at places that they keep, found by their key and by that of their entry.
struct VersionStore {
    /// Blocks of places: one large array would be copied, and take twice its memory, whenever it grows.
    private var blocks: [[PackedVersion?]] = []
    private var freePlaces: [UInt32] = []
    /// The number of places, some of which may be free.
    private(set) var placeCount = 0
    /// The number of versions.
    private(set) var count = 0
    /// The last version of each subscription.
    private var lastPlaces = PlaceTable()
    /// Versions whose entry has another key than the one that names them: nobody writes such.
    private var elsewhere: [[UInt8]: Int] = [:]
    private var users = SharedValues<ExactName>()
    private var infos = SharedInfos()
    private var stores = SharedValues<UInt64>()

    private static let blockBits = 12
    private static let blockCount = 1 << blockBits

    /// Makes room for so many versions.
    mutating func reserve(_ count: Int) { lastPlaces.reserve(count) }

    /// The version at a place; nil when it is free.
    subscript(place: Int) -> PackedVersion? {
        get { blocks[place >> Self.blockBits][place & (Self.blockCount - 1)] }
        set { blocks[place >> Self.blockBits][place & (Self.blockCount - 1)] = newValue }
    }

    // MARK: Whole versions

    /// The subscription of a version.
    func key(_ version: PackedVersion) -> SubscriptionKey { version.key(users[version.user].name) }

    /// The saved subscription of a version; nil when it is a deletion.
    func saved(_ version: PackedVersion) -> SavedSubscription? {
        guard !version.isDeletion else { return nil }
        return SavedSubscription(
            subscription: version.subscription(key(version), infos[version.info]), created: version.created,
            saved: version.sequence)
    }

    /// The part of a version that a hit needs.
    func fired(_ version: PackedVersion) -> FiredSubscription {
        FiredSubscription(
            key: key(version), kind: version.kind, firesOnce: version.firesOnce,
            notificationInfo: infos[version.info], created: version.created, saved: version.sequence)
    }

    /// A version as it was in the topic.
    func content(_ version: PackedVersion) -> SubscriptionVersion {
        SubscriptionVersion(
            key: key(version), sequence: version.sequence, created: version.created, store: stores[version.store],
            saved: saved(version), offset: version.offset)
    }

    /// A version as a snapshot holds it.
    func message(_ version: PackedVersion) -> SnapshotVersion {
        let key = key(version)
        return SnapshotVersion(
            offset: version.offset, store: stores[version.store], sequence: version.sequence.rawValue,
            user: key.user.rawValue, database: key.database.rawValue, id: key.id.rawValue,
            created: version.created.rawValue, watched: version.isDeletion ? nil : version.watched,
            notificationInfo: version.isDeletion ? [] : infos.bytes(version.info),
            flags: UInt32(version.flags.subtracting(.isNamedElsewhere).rawValue))
    }

    // MARK: Finding

    /// The place of the last version of a subscription.
    func latest(_ key: SubscriptionKey) -> Int? { latest(key, key.hashValue) }

    /// - Parameter hash: the key's.
    private func latest(_ key: SubscriptionKey, _ hash: Int) -> Int? {
        lastPlaces.place(hash) { place in self[place].map { self.key($0) == key } ?? false }
    }

    /// The place of the version that the key of an entry names.
    func place(ofEntry entry: [UInt8]) -> Int? {
        if let place = elsewhere[entry] { return place }
        guard let key = TopicLayout.subscription(ofSubscriptionKey: entry),
            let sequence = TopicLayout.sequence(ofSubscriptionKey: entry)
        else { return nil }
        return place(from: latest(key), sequence, entry)
    }

    /// The place of the version that the key of an entry names, among a subscription's.
    /// - Parameter last: the place of the last of them.
    private func place(from last: Int?, _ sequence: CommitSequence, _ entry: [UInt8]) -> Int? {
        var next = last
        while let place = next, let version = self[place] {
            if version.sequence == sequence, !version.isNamedElsewhere,
                TopicLayout.isSubscriptionKey(entry, of: self.key(version), sequence)
            {
                return place
            }
            next = previous(version)
        }
        return nil
    }

    /// The place of the version before another.
    func previous(_ version: PackedVersion) -> Int? {
        version.previous == PackedVersion.none ? nil : Int(version.previous)
    }

    // MARK: Changing

    /// Adds a version that the key of an entry names; nil when it is there already.
    mutating func insert(_ prepared: PreparedVersion) -> Int? {
        let packed = prepared.packed
        let entry = prepared.entry
        let last = latest(prepared.key, prepared.hash)
        let known = packed.isNamedElsewhere ? elsewhere[entry] : self.place(from: last, packed.sequence, entry)
        guard known == nil else { return nil }
        let place = takePlace()
        if packed.isNamedElsewhere { elsewhere[entry] = place }
        put(prepared, at: place, after: last)
        return place
    }

    /// Adds a version at the place that it had when it was written down; false when the place is taken, or the version
    /// there already. Places in between are free once `collectFreePlaces` was called.
    mutating func insert(_ prepared: PreparedVersion, at place: Int) -> Bool {
        let last = latest(prepared.key, prepared.hash)
        var known = last
        while let other = known.flatMap({ self[$0] }) {
            if other.sequence == prepared.packed.sequence { return false }
            known = previous(other)
        }
        while place >> Self.blockBits >= blocks.count { addBlock() }
        guard self[place] == nil else { return false }
        placeCount = max(placeCount, place + 1)
        put(prepared, at: place, after: last)
        return true
    }

    /// Has places that were left out given to the next versions.
    mutating func collectFreePlaces() {
        freePlaces = (0..<placeCount).filter { self[$0] == nil }.map { UInt32($0) }
    }

    private mutating func put(_ prepared: PreparedVersion, at place: Int, after last: Int?) {
        var packed = prepared.packed
        packed.user = users.take(ExactName(name: prepared.key.user))
        if !prepared.isDeletion { packed.info = infos.take(prepared.info) }
        packed.store = stores.take(prepared.store)
        count += 1
        self[place] = packed
        link(place, after: last, prepared.hash)
    }

    /// Removes the version at a place, which the key of an entry names.
    mutating func remove(_ place: Int, entry: [UInt8]) {
        guard let version = self[place] else { return }
        unlink(place, version)
        if version.isNamedElsewhere { elsewhere[entry] = nil }
        _ = users.release(version.user)
        _ = stores.release(version.store)
        if !version.isDeletion { infos.release(version.info) }
        self[place] = nil
        freePlaces.append(UInt32(place))
        count -= 1
    }

    /// A place that is free: the index keeps arrays by them.
    private mutating func takePlace() -> Int {
        if let place = freePlaces.popLast() { return Int(place) }
        if placeCount >> Self.blockBits == blocks.count { addBlock() }
        defer { placeCount += 1 }
        return placeCount
    }

    private mutating func addBlock() {
        blocks.append([PackedVersion?](repeating: nil, count: Self.blockCount))
    }

    /// Puts a version between those of its subscription, by sequence.
    /// - Parameters:
    ///   - last: the place of the last of them.
    ///   - hash: that of the subscription's key.
    private mutating func link(_ place: Int, after last: Int?, _ hash: Int) {
        let sequence = self[place]!.sequence
        var next: Int?
        var before = last
        while let other = before, self[other]!.sequence > sequence {
            next = other
            before = previous(self[other]!)
        }
        self[place]!.previous = before.map { UInt32($0) } ?? PackedVersion.none
        if let before { self[before]!.end = sequence }
        if let next {
            self[place]!.end = self[next]!.sequence
            self[next]!.previous = UInt32(place)
        } else if let last {
            lastPlaces.move(hash, from: last, to: place)
        } else {
            lastPlaces.insert(place, hash)
        }
    }

    private mutating func unlink(_ place: Int, _ version: PackedVersion) {
        let key = key(version)
        let before = previous(version)
        if let before { self[before]!.end = version.end }
        guard let last = latest(key), last != place else {
            if let before {
                lastPlaces.move(key.hashValue, from: place, to: before)
            } else {
                lastPlaces.remove(place, key.hashValue)
            }
            return
        }
        var next: Int? = last
        while let other = next, previous(self[other]!) != place { next = previous(self[other]!) }
        if let next { self[next]!.previous = version.previous }
    }
}

/// A user's name, compared by its bytes: Swift takes composed and decomposed letters for the same.
private struct ExactName: Hashable {
    var name: UserRecordName

    static func == (left: ExactName, right: ExactName) -> Bool {
        // The bytes at once where they lie together, as they nearly always do.
        let isSame = left.name.rawValue.utf8.withContiguousStorageIfAvailable { left in
            right.name.rawValue.utf8.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).elementsEqual(UnsafeRawBufferPointer(right))
            }
        }
        return (isSame ?? nil) ?? left.name.rawValue.utf8.elementsEqual(right.name.rawValue.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var copy = name.rawValue
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

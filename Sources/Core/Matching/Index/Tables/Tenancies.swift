/// The owner, zone and type of records that a subscription watches; 0 is every owner, zone or type.
struct TenancyKey: Hashable, BitwiseCopyable {
    var database: Int32
    /// Numbers of operands, which the tenancy holds.
    var owner: UInt32
    var zone: UInt32
    var type: UInt32
}

/// Counts of a tenancy, by which paths are chosen.
struct Tenancy: BitwiseCopyable {
    var subscriptions: UInt32 = 0
    /// The number of changes that concerned it.
    var events: UInt32 = 0
}

/// All tenancies that a subscription watches. Numbers are used again.
struct Tenancies: ~Copyable {
    private var tenancies = Arena<Tenancy>()
    private var numbers: [TenancyKey: UInt32] = [:]
    private var keys: [UInt32: TenancyKey] = [:]
    private var free: [UInt32] = []

    init() {}

    func write(to writer: inout ImageWriter) {
        tenancies.write(to: &writer)
        writer.write(keys.count)
        for (number, key) in keys {
            writer.write(number)
            writer.write(key)
        }
        writer.write(row: free)
    }

    init(from reader: inout ImageReader) throws {
        tenancies = try Arena(from: &reader)
        for _ in 0..<(try reader.count(of: TenancyKey.self)) {
            let (number, key) = (try reader.read(UInt32.self), try reader.read(TenancyKey.self))
            keys[number] = key
            numbers[key] = number
        }
        free = try reader.row()
    }

    /// Returns true if there is none.
    var isEmpty: Bool { numbers.isEmpty && keys.isEmpty }
    /// Bytes of the tenancies, without the tables that find them.
    var bytes: Int { tenancies.bytes }

    @inline(__always) subscript(number: UInt32) -> Tenancy { tenancies.base[Int(number)] }

    /// The tenancy of a key, if anybody watches it.
    @inline(__always) func number(of key: TenancyKey) -> UInt32? { numbers[key] }

    /// The tenancy of a key, made when there is none; a new one takes over what the key holds.
    mutating func make(_ key: TenancyKey) -> (number: UInt32, isNew: Bool) {
        if let known = numbers[key] { return (known, false) }
        var number = UInt32(tenancies.count)
        if let freed = free.popLast() {
            number = freed
            tenancies[Int(number)] = Tenancy()
        } else {
            tenancies.append(Tenancy())
        }
        numbers[key] = number
        keys[number] = key
        return (number, true)
    }

    /// Counts a subscription that was filed.
    mutating func addSubscription(to number: UInt32) { tenancies.base[Int(number)].subscriptions += 1 }

    /// Counts a removed subscription. Returns the key, whose operands the caller releases, if it was the last of the
    /// tenancy.
    mutating func removeSubscription(from number: UInt32) -> TenancyKey? {
        tenancies.base[Int(number)].subscriptions -= 1
        guard self[number].subscriptions == 0, let key = keys.removeValue(forKey: number) else { return nil }
        numbers[key] = nil
        free.append(number)
        return key
    }

    /// Counts a change that concerned a tenancy, which may be gone by now.
    mutating func noteEvent(_ number: UInt32) {
        if number < tenancies.count { tenancies.base[Int(number)].events &+= 1 }
    }

    /// Halves the counts of changes, so that recent ones count more.
    mutating func age() {
        for number in 0..<tenancies.count { tenancies.base[number].events >>= 1 }
    }
}

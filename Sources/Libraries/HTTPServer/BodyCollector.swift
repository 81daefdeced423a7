/// The body of one request on its way in: in memory, in a file, or counted and dropped.
struct BodyCollector {
    enum Storage {
        case bytes([UInt8])
        case file(TemporaryFile)
        case nothing
    }

    /// The next step of the connection after a part of a body.
    enum Course: Equatable {
        case readOn
        /// The rest is not worth reading: answer, and close.
        case close
    }

    /// A body that is to be dropped may still come to this many bytes; beyond, the connection is closed.
    static let dropBytesMaximum = 1 << 20
    /// The first room that a body takes; it doubles from there, as its array does.
    private static let firstBytes = 4 << 10

    private var storage: Storage
    private let maximumBytes: Int
    private let announced: Int?
    /// Room that was taken for the body.
    private var capacity = 0
    /// Of memory, for as long as the body is needed.
    private(set) var reservation: MemoryBudget.Reservation?
    private(set) var received = 0
    /// The reason for dropping the body, if it is dropped.
    private(set) var refusal: HTTPRefusal?

    /// Collects in memory, which is taken as bytes come: what a client announces takes none. Who has sent half has room for
    /// the whole, and is not refused any more.
    init(maximumBytes: Int, announced: Int?, _ reservation: MemoryBudget.Reservation) {
        self.reservation = reservation
        self.maximumBytes = maximumBytes
        self.announced = announced
        storage = .bytes([])
    }

    init(file: TemporaryFile, maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        announced = nil
        storage = .file(file)
    }

    /// Drops everything.
    init() {
        maximumBytes = 0
        announced = nil
        storage = .nothing
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Course {
        received += bytes.count
        guard received <= maximumBytes else {
            if case .nothing = storage {} else { drop(.bodyTooLarge(maximumBytes: maximumBytes)) }
            return received <= maximumBytes + Self.dropBytesMaximum ? .readOn : .close
        }
        switch storage {
        case .bytes(var collected):
            storage = .nothing
            guard takeRoom(&collected) else {
                drop(.bodiesTooLarge)
                return (announced ?? .max) - received <= Self.dropBytesMaximum ? .readOn : .close
            }
            collected.append(contentsOf: bytes)
            storage = .bytes(collected)
        case .file(let file):
            do {
                try file.write(bytes)
            } catch {
                drop(.bodyNotStored(reason: error.reason))
            }
        case .nothing: break
        }
        return .readOn
    }

    /// Room for what was received, and as much again if the body may become so large.
    private mutating func takeRoom(_ collected: inout [UInt8]) -> Bool {
        guard received > capacity else { return true }
        var wanted = max(capacity, Self.firstBytes)
        while wanted < received { wanted *= 2 }
        wanted = max(received, min(wanted, announced ?? maximumBytes))
        guard reservation?.grow(to: wanted) ?? true else { return false }
        collected.reserveCapacity(wanted)
        capacity = wanted
        return true
    }

    private mutating func drop(_ refusal: HTTPRefusal) {
        self.refusal = refusal
        storage = .nothing
        reservation = nil
    }

    /// The body and, for as long as it is needed, its file.
    func complete() -> (body: HTTPRequestBody, file: TemporaryFile?) {
        switch storage {
        case .bytes(let bytes): (.bytes(bytes), nil)
        case .file(let file): (.file(path: file.path, bytes: received), file)
        case .nothing: (.bytes([]), nil)
        }
    }
}

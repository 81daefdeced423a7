/// The body of one request on its way in: in memory, in a file, or counted and dropped.
struct BodyCollector {
    enum Storage {
        case bytes([UInt8])
        case file(TemporaryFile)
        case nothing
    }

    /// A body that is to be dropped may still come to this many bytes; beyond, the connection is closed.
    static let dropBytesMaximum = 1 << 20

    private var storage: Storage
    private let maximumBytes: Int
    /// Of memory, for as long as the body is needed.
    private(set) var reservation: MemoryBudget.Reservation?
    private(set) var received = 0
    /// Why the body is being dropped.
    private(set) var refusal: HTTPRefusal?

    /// Collects in memory, growing as bytes come: what a client announces reserves little.
    init(maximumBytes: Int, announced: Int?, _ reservation: MemoryBudget.Reservation) {
        self.reservation = reservation
        self.maximumBytes = maximumBytes
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(announced ?? 0, maximumBytes, 64 << 10))
        storage = .bytes(bytes)
    }

    init(file: TemporaryFile, maximumBytes: Int) {
        self.maximumBytes = maximumBytes
        storage = .file(file)
    }

    /// Drops everything.
    init() {
        maximumBytes = 0
        storage = .nothing
    }

    /// False when so much came that reading on is no use.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        received += bytes.count
        guard received <= maximumBytes else {
            if case .nothing = storage {} else { drop(.bodyTooLarge(maximumBytes: maximumBytes)) }
            return received <= maximumBytes + Self.dropBytesMaximum
        }
        switch storage {
        case .bytes(var collected):
            guard reservation?.grow(to: received) ?? true else {
                drop(.bodiesTooLarge)
                return true
            }
            storage = .nothing
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

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
    /// Takes the body out of a form; nil for one that is stored as it comes.
    private var form: FormPart?
    /// Bytes that are stored.
    private var stored = 0
    /// Room that was taken for the body.
    private var capacity = 0
    /// Of memory, for as long as the body is needed.
    private(set) var reservation: MemoryBudget.Reservation?
    private(set) var received = 0
    /// The reason for dropping the body, if it is dropped.
    private var dropped: HTTPRefusal?

    /// The reason why there is no body, once everything has come.
    var refusal: HTTPRefusal? { dropped ?? (form?.isOver == false ? .malformedForm : nil) }

    /// Collects in memory that grows with the received bytes: announced bytes take none. A body of which half was
    /// received has room for the whole, and is not refused any more.
    init(
        maximumBytes: Int, announced: Int?, form: FormPart? = nil, _ reservation: MemoryBudget.Reservation
    ) {
        self.form = form
        self.reservation = reservation
        self.maximumBytes = maximumBytes
        self.announced = announced
        storage = .bytes([])
    }

    init(file: TemporaryFile, maximumBytes: Int, form: FormPart? = nil) {
        self.form = form
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
        guard form != nil else { return store(bytes) }
        // The rest of a form's envelope is at most as large as a body that may be dropped.
        guard received <= maximumBytes + FormPart.envelopeBytesMax else { return tooLarge() }
        do throws(HTTPRefusal) {
            let taken = try form!.take(bytes)
            if taken.restarts { restart() }
            return taken.bytes.withUnsafeBytes { store($0) }
        } catch {
            drop(error)
            return .readOn
        }
    }

    /// Drops the stored bytes: they were a field before the file of a form.
    private mutating func restart() {
        stored = 0
        switch storage {
        case .bytes(var collected):
            storage = .nothing
            collected.removeAll(keepingCapacity: true)
            storage = .bytes(collected)
        case .file(let file):
            do {
                try file.clear()
            } catch {
                drop(.bodyNotStored(reason: error.reason))
            }
        case .nothing: break
        }
    }

    private mutating func tooLarge() -> Course {
        if case .nothing = storage {} else { drop(.bodyTooLarge(maximumBytes: maximumBytes)) }
        return received <= maximumBytes + Self.dropBytesMaximum ? .readOn : .close
    }

    private mutating func store(_ bytes: UnsafeRawBufferPointer) -> Course {
        stored += bytes.count
        guard stored <= maximumBytes else { return tooLarge() }
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

    /// Takes room for the received bytes, and as much again if the body may become so large.
    private mutating func takeRoom(_ collected: inout [UInt8]) -> Bool {
        guard stored > capacity else { return true }
        var wanted = max(capacity, Self.firstBytes)
        while wanted < stored { wanted *= 2 }
        wanted = max(stored, min(wanted, announced ?? maximumBytes))
        guard reservation?.grow(to: wanted) ?? true else { return false }
        collected.reserveCapacity(wanted)
        capacity = wanted
        return true
    }

    private mutating func drop(_ refusal: HTTPRefusal) {
        if dropped == nil { dropped = refusal }
        form = nil
        storage = .nothing
        reservation = nil
    }

    /// The body and, for as long as it is needed, its file.
    func complete() -> (body: HTTPRequestBody, file: TemporaryFile?) {
        switch storage {
        case .bytes(let bytes): (.bytes(bytes), nil)
        case .file(let file): (.file(path: file.path, bytes: stored), file)
        case .nothing: (.bytes([]), nil)
        }
    }
}

/// The bytes of one stream between its writer and its connection, as a value.
///
/// The connection is suspended exactly while `isSuspended`; whatever changes that says "wake it", once.
struct StreamMachine {
    enum Phase: Equatable {
        case open
        /// The writer is done; buffered bytes are still sent.
        case finishing
        case ended(HTTPStreamEnd)
    }

    enum Write: Equatable {
        case accepted(wake: Bool)
        /// The reader is too slow: its connection must be shut down.
        case overflowed(wake: Bool)
        case refused
    }

    enum Read: Equatable {
        case bytes(Int)
        case suspend
        case end
        case failure
    }

    private(set) var phase: Phase = .open
    private var buffer: [UInt8] = []
    private var sent = 0
    /// The bytes read of it, from the start.
    private(set) var sentTotal = 0
    private var isSuspended = false
    let bufferBytesMaximum: Int

    init(bufferBytesMaximum: Int) { self.bufferBytesMaximum = bufferBytesMaximum }

    var buffered: Int { buffer.count - sent }

    mutating func write(_ bytes: some Collection<UInt8>) -> Write {
        guard phase == .open else { return .refused }
        guard buffered + bytes.count <= bufferBytesMaximum else {
            return .overflowed(wake: end(.readerTooSlow))
        }
        buffer.append(contentsOf: bytes)
        return .accepted(wake: !bytes.isEmpty && wakeUp())
    }

    /// True when the connection must be woken.
    mutating func finish() -> Bool {
        guard phase == .open else { return false }
        phase = .finishing
        return wakeUp()
    }

    mutating func read(into target: UnsafeMutableRawBufferPointer) -> Read {
        switch phase {
        case .ended: return .failure
        case .finishing where buffered == 0:
            return .end
        case .open where buffered == 0:
            isSuspended = true
            return .suspend
        case .open, .finishing:
            let count = min(target.count, buffered)
            buffer.withUnsafeBytes { target.copyMemory(from: .init(rebasing: $0[sent..<sent + count])) }
            sent += count
            sentTotal += count
            forgetSent()
            return .bytes(count)
        }
    }

    /// Ends the stream; the first reason stays. Returns true if the connection must be woken.
    mutating func end(_ reason: HTTPStreamEnd) -> Bool {
        if case .ended = phase { return false }
        phase = .ended(phase == .finishing && buffered == 0 ? .finished : reason)
        buffer = []
        sent = 0
        return wakeUp()
    }

    private mutating func wakeUp() -> Bool {
        defer { isSuspended = false }
        return isSuspended
    }

    /// Releases the memory after everything is sent, and moves the rest to the front when more than half is.
    private mutating func forgetSent() {
        if sent == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 10)
            sent = 0
        } else if sent > max(buffer.count / 2, 64 << 10) {
            buffer.removeFirst(sent)
            sent = 0
        }
    }
}

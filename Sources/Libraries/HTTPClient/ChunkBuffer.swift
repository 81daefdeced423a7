/// The bytes of a stream that came and are not consumed yet, as a value: it says when to pause the connection and when
/// to go on.
struct ChunkBuffer {
    enum End {
        case finished
        case failed(any Error)
    }

    private var bytes: [UInt8] = []
    private(set) var isPaused = false
    private(set) var end: End?
    private let bytesMaximum: Int

    init(bytesMaximum: Int) { self.bytesMaximum = bytesMaximum }

    /// False when the connection must pause; the bytes were not taken and will be offered again.
    mutating func offer(_ chunk: UnsafeRawBufferPointer) -> Bool {
        guard bytes.isEmpty || bytes.count + chunk.count <= bytesMaximum else {
            isPaused = true
            return false
        }
        bytes.append(contentsOf: chunk)
        return true
    }

    /// All that is there, nil when nothing is; and whether a paused connection can go on.
    mutating func take() -> (bytes: [UInt8]?, goesOn: Bool) {
        guard !bytes.isEmpty else { return (nil, false) }
        defer {
            bytes = []
            isPaused = false
        }
        return (bytes, isPaused)
    }

    /// The first end counts.
    mutating func finish(_ end: End) { self.end = self.end ?? end }
}

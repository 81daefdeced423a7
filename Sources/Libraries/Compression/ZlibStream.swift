import CZlib

/// zlib's state of one stream, either way, and the input it has not taken yet.
// `@unchecked Sendable`: it has one owner and zlib knows no threads, so it may go from one to another.
struct ZlibStream: ~Copyable, @unchecked Sendable {
    enum Direction {
        case inflate
        case deflate
    }

    /// On the heap, as zlib keeps its address.
    let state: UnsafeMutablePointer<z_stream>
    private let direction: Direction
    private var input: [UInt8] = []
    private var taken = 0

    init(inflating format: CompressionFormat) {
        direction = .inflate
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
        Self.require(CZlib_inflateInit(state, format.windowBits))
    }

    init(deflating format: CompressionFormat, level: Int) {
        direction = .deflate
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
        Self.require(CZlib_deflateInit(state, CInt(level), format.windowBits))
    }

    deinit {
        switch direction {
        case .inflate: inflateEnd(state)
        case .deflate: deflateEnd(state)
        }
        state.deallocate()
    }

    /// The number of bytes left of the input.
    var inputBytes: Int { input.count - taken }

    /// Adds input; bytes that were not taken yet stay before it.
    mutating func append(_ bytes: [UInt8]) {
        if inputBytes == 0 {
            input = bytes
        } else {
            input.removeFirst(taken)
            input += bytes
        }
        taken = 0
    }

    /// Lets zlib work once, from the input into so many bytes at most; gives what it answered and what it wrote.
    mutating func step(
        maximumBytes: Int, _ work: (UnsafeMutablePointer<z_stream>) -> CInt
    ) -> (code: CInt, output: [UInt8]) {
        var code = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: maximumBytes) { output, count in
            // zlib counts in 32 bits.
            let room = min(output.count, Int(UInt32.max))
            let given = min(inputBytes, Int(UInt32.max))
            input.withUnsafeBufferPointer { input in
                // zlib only reads it; its header lacks the const.
                state.pointee.next_in = input.baseAddress.map { UnsafeMutablePointer(mutating: $0 + taken) }
                state.pointee.avail_in = UInt32(given)
                state.pointee.next_out = output.baseAddress
                state.pointee.avail_out = UInt32(room)
                code = work(state)
            }
            taken += given - Int(state.pointee.avail_in)
            count = room - Int(state.pointee.avail_out)
        }
        return (code, output)
    }

    /// The reason zlib gives for its last error.
    var reason: String { state.pointee.msg.map { String(cString: $0) } ?? "no reason given" }

    /// Ends the program when zlib has no memory or is not the library it was built for: no decision is to take.
    static func require(_ code: CInt) {
        precondition(code == Z_OK, "zlib cannot begin a stream: error \(code)")
    }
}

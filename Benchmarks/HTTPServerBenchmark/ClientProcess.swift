import Foundation

/// This program again, as a client of a server in this one.
final class ClientProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    func send(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// The fields of the next line it writes. Blocks: nothing else is to be done meanwhile.
    func read() throws -> [String] {
        var line: [UInt8] = []
        while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
            line.append(byte)
        }
        let fields = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        guard !fields.isEmpty else { throw ClientFailure() }
        return fields
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// The client has written the error to stderr.
struct ClientFailure: Error {}

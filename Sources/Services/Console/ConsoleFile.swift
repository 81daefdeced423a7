import CConsoleFiles

/// One file of the console.
package struct ConsoleFile: Hashable, Sendable {
    /// The path below the folder of files, as in `core/start.js`.
    package let name: String
    package let bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The files that the program has in itself.
    package static let embedded: [ConsoleFile] = {
        let count = fanfare_console_files(nil, 0)
        let table = [fanfare_console_file](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = fanfare_console_files(buffer.baseAddress, count)
        }
        return table.map { file in
            ConsoleFile(
                name: String(cString: file.name),
                bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }()

    /// The value of `Content-Type`; nil for a file that no browser gets.
    var type: String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        default: nil
        }
    }
}

#if canImport(Glibc)
    import Glibc
#endif

/// The program's output: results on standard output, complaints on standard error.
enum Output {
    /// Writes a line to standard output at once, so that a program that follows sees it.
    static func line(_ text: String) { write(1, text + "\n") }

    /// Writes a line to standard error.
    static func error(_ text: String) { write(2, text + "\n") }

    /// Indicates whether standard output is a terminal whose reader has not asked for no colours (no-color.org).
    static var isColoured: Bool {
        isatty(1) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
    }

    /// Overwrites the present line of a terminal; nothing where there is none.
    static func progress(_ text: String) {
        guard isatty(2) == 1 else { return }
        write(2, "\r\u{1b}[2K" + text)
    }

    private static func write(_ descriptor: Int32, _ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { pointer in
                Glibc.write(descriptor, pointer.baseAddress, pointer.count)
            }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }
}

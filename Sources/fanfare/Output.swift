import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// The program's output: results on standard output, complaints on standard error. All commands print through it, and
/// it escapes what a terminal would obey (`TerminalText`), also line ends within a line.
enum Output {
    /// Writes a line to standard output at once, so that a program that follows sees it.
    static func line(_ text: String) { write(1, TerminalText.escaped(text) + "\n") }

    /// Writes a text of several lines, with nothing from users that could add one, to standard output.
    static func text(_ text: String) { write(1, lines(text)) }

    /// Writes a line to standard error.
    static func error(_ text: String) { write(2, TerminalText.escaped(text) + "\n") }

    /// Writes a text of several lines, with nothing from users that could add one, to standard error.
    static func errorText(_ text: String) { write(2, lines(text)) }

    /// Overwrites the present line of a terminal; nothing where there is none.
    static func progress(_ text: String) {
        guard isatty(2) == 1 else { return }
        write(2, "\r\u{1b}[2K" + TerminalText.escaped(text))
    }

    private static func lines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { TerminalText.escaped(String($0)) + "\n" }.joined()
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

import CMicroHTTPD

/// The libmicrohttpd that the tests run with: Debian 12 has 0.9.75, Ubuntu 24.04 has 1.0.0.
enum LoadedLibrary {
    /// Indicates whether it refuses ambiguous lines itself, in its own words. Such a one refuses chunks with extensions,
    /// too: it leaves the line's LF before the chunk (`process_request_body` of 1.0.0 and 1.0.1).
    static let isFirstMajor = microhttpd_refuses_ambiguous_lines() != 0

    /// A refusal's last words: ours, or the page of a library that looked first.
    static func hasRefused(_ text: String, as reason: String) -> Bool {
        text.hasSuffix("refused: \(reason)") || isFirstMajor && text.hasSuffix("</html>")
    }
}

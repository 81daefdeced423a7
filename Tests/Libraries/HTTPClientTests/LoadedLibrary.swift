import CCurl

/// The libcurl that the tests run with: Debian 12 has 7.88, Ubuntu 24.04 has 8.5.
enum LoadedLibrary {
    /// Indicates whether it is 8.0 or newer, which does not distinguish a refused request from one on a connection that
    /// ended (`DESIGN.md` of the client).
    static let isEighth = curl_reports_refusals() == 0
}

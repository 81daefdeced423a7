import CCurl

/// The libcurl that the tests run with: Debian 12 has 7.88, Ubuntu 24.04 has 8.5.
enum LoadedLibrary {
    /// Indicates whether it distinguishes a refused request from one on a connection that ended.
    static let reportsRefusals = curl_reports_refusals() != 0
}

import CloudModel

extension CloudError {
    /// True for missing or invalid credentials.
    var isAboutCredentials: Bool { code == .authenticationFailed || code == .authenticationRequired }
}

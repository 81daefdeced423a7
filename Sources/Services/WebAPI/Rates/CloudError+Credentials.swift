import CloudModel

extension CloudError {
    /// Whether it says that credentials are missing or not good.
    var isAboutCredentials: Bool { code == .authenticationFailed || code == .authenticationRequired }
}

import CloudModel

extension CloudError {
    /// A Boolean that tells whether credentials are missing or not good.
    var isAboutCredentials: Bool { code == .authenticationFailed || code == .authenticationRequired }
}

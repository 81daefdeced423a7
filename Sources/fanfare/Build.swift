/// The version of this build.
enum Build {
    static let version = "0.1.0"
    static let description = "fanfare \(version)"
}

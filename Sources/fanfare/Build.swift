import CVersion

/// The version of this build, from the file VERSION.
enum Build {
    static let version = String(String(cString: fanfare_version()).prefix { !$0.isNewline })
    static let description = "fanfare \(version)"
}

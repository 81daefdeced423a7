/// A setting of an object store that cannot be used, with the remedy.
package struct S3SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// A setting or a flag that cannot be used; the message names it and says what to give.
package struct SettingsError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

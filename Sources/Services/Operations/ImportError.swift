/// An import, a load run or a demonstration that cannot go on.
package struct ImportError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

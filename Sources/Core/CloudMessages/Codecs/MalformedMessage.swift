/// A message that decodes but lacks what it must have: poison, to be set aside.
package struct MalformedMessage: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Unwraps what a message must have.
func required<Value>(_ value: Value?, _ what: StaticString) throws(MalformedMessage) -> Value {
    guard let value else { throw MalformedMessage("\(what) is missing or unknown") }
    return value
}

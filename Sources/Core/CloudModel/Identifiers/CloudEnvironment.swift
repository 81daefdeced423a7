/// One of a container's two environments. They share nothing: no topic, no table, no token.
package enum CloudEnvironment: String, Sendable, CaseIterable, CustomStringConvertible {
    case development
    case production

    package var description: String { rawValue }
}
